#include "foreflow/platform/cpu.h"
#include "foreflow/platform/recipe.h"
#include "platform/parameters.h"
#include "platform/routes/ecmp.h"

namespace foreflow::platform {
namespace {

ValueType topology_type() {
  return {"a name of `foreflow list topologies` or `foreflow list instances`", types::one_of(topology_names()).schema};
}

}  // namespace

const Keys& part_keys() {
  static const Keys keys = {
      {"topology", "what is inside a node (`foreflow list topologies`)", topology_type()},
      {"nodes", "how many of them", count_type(), "as the topology says"},
      {"gpus_per_node", "GPUs of a node", count_type(), "as the topology says"},
      {"nics_per_node", "network cards of a node", count_type(), "as the topology says"},
      {"device", "other data sheet, or other numbers, for the GPUs", device_type(), "as the topology says"},
      {"cpu", "the CPU of its hosts (`foreflow list cpus`), or the single-thread rating of PassMark of another one",
       cpu_type(), "as the topology says"},
      {"network", "what its network cards are (`foreflow list networks`)", types::one_of(networks().names()),
       "as the topology says"},
      {"nvlink_domain", "GPUs of one NVLink domain, where a node is cut into several", count_type(), "gpus_per_node"}};
  return keys;
}

const Keys& machine_keys() {
  static const Keys keys = {
      {"routing", "how messages find their way (`foreflow list routings`)", types::one_of(routings().names()),
       "as the network has it, else `dmodk`"},
      {"ecmp", "how a message chooses among shortest paths: `routing` under its old name",
       types::one_of(ecmp_rule_names()), "`dmodk`"},
      {"sharp", "whether the switches of the fabric add up (SHARP)", types::flag(), "false"},
      {"links", "other numbers for links, by kind (\"nic\") or by name (\"node0-nic1\")",
       types::map_of(".+", types::object_of(link_keys(), "an object"), "an object"), "as the hardware has them"}};
  return keys;
}

}  // namespace foreflow::platform
