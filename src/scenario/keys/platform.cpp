#include "foreflow/platform/recipe.h"
#include "foreflow/platform/topologies.h"
#include "scenario/keys/sections.h"

namespace foreflow::scenario {
namespace {

ValueType count() { return types::whole(1, platform::kMostDevices); }

const Keys& shared_keys() {
  static const Keys keys = {
      {"ecmp", "how a message chooses among shortest paths", types::one_of({"dmodk", "hash"}), "`dmodk`"},
      {"sharp", "whether the switches of the fabric add up (SHARP)", types::flag(), "false"},
      {"links", "other numbers for links, by kind (\"nic\") or by name (\"node0-nic1\")",
       types::map_of(".+", types::object_of(link_change_keys(), "an object"), "an object"),
       "as the hardware has them"}};
  return keys;
}

// A number of everything but the two that are none.
KeyDef parameter_key(const platform::Parameter& parameter) {
  const ValueType type = parameter.name == "oversubscription" ? types::number(1)
                         : parameter.name == "dims"           ? types::text("sides such as \"8x8\"")
                                                              : count();
  return {std::string(parameter.name), std::string(parameter.doc), type};
}

std::vector<Variant> fabrics() {
  std::vector<Variant> all;
  for (const platform::FabricDef& fabric : platform::fabrics()) {
    const bool usual = &fabric == &*platform::fabrics().begin();
    Keys keys        = part_keys();
    keys.push_back({"parts", "nodes of several kinds, in place of `topology` and its counts",
                    types::list_of(types::object_of(part_keys(), "an object", {"topology"}), "a list of objects")});
    for (const platform::Parameter& parameter : fabric.parameters) keys.push_back(parameter_key(parameter));
    keys.insert(keys.end(), shared_keys().begin(), shared_keys().end());
    all.push_back({types::one_of({std::string(fabric.name)}), std::move(keys), usual});
  }
  return all;
}

KeyDef fabric_key() {
  return {"fabric", "what joins the nodes (`foreflow list fabrics`)", types::one_of(platform::fabrics().names()),
          "`" + std::string(platform::fabrics().begin()->name) + "`"};
}

}  // namespace

const Keys& platform_file_keys() {
  static const Keys keys = {{"file", "a SimGrid platform in XML, in place of a recipe", types::path()},
                            shared_keys().back()};
  return keys;
}

const Keys& part_keys() {
  static const Keys keys = {
      {"topology", "what is inside a node (`foreflow list topologies`)", types::one_of(platform::topologies().names())},
      {"nodes", "how many of them", count(), "as the topology says"},
      {"gpus_per_node", "GPUs of a node", count(), "as the topology says"},
      {"nics_per_node", "network cards of a node", count(), "as the topology says"},
      {"nvlink_domain", "GPUs of one NVLink domain, where a node is cut into several", count(), "gpus_per_node"}};
  return keys;
}

const Keys& link_change_keys() { return platform::link_keys(); }

ValueType platform_type() {
  ValueType type =
      types::either({variants(fabric_key(), fabrics()), types::object_of(platform_file_keys(), "", {"file"})});
  type.words = "an object with `topology`, `parts` or `file`";
  return type;
}

Keys platform_keys() {
  std::vector<Variant> all = fabrics();
  all.insert(all.begin() + 1, {{}, {fabric_key()}});
  all.push_back({{}, platform_file_keys()});
  return together(all);
}

}  // namespace foreflow::scenario
