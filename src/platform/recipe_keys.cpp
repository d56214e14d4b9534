#include "foreflow/platform/recipe.h"
#include "platform/ecmp.h"
#include "platform/parameters.h"

namespace foreflow::platform {

const Keys& part_keys() {
  static const Keys keys = {
      {"topology", "what is inside a node (`foreflow list topologies`)", types::one_of(topologies().names())},
      {"nodes", "how many of them", count_type(), "as the topology says"},
      {"gpus_per_node", "GPUs of a node", count_type(), "as the topology says"},
      {"nics_per_node", "network cards of a node", count_type(), "as the topology says"},
      {"nvlink_domain", "GPUs of one NVLink domain, where a node is cut into several", count_type(), "gpus_per_node"}};
  return keys;
}

const Keys& machine_keys() {
  static const Keys keys = {
      {"ecmp", "how a message chooses among shortest paths", types::one_of(ecmp_rule_names()), "`dmodk`"},
      {"sharp", "whether the switches of the fabric add up (SHARP)", types::flag(), "false"},
      {"links", "other numbers for links, by kind (\"nic\") or by name (\"node0-nic1\")",
       types::map_of(".+", types::object_of(link_keys(), "an object"), "an object"), "as the hardware has them"}};
  return keys;
}

}  // namespace foreflow::platform
