#include "foreflow/platform/host_devices.h"
#include "foreflow/platform/recipe.h"
#include "foreflow/platform/topologies.h"
#include "scenario/keys/sections.h"

namespace foreflow::scenario {
namespace {

std::vector<Variant> fabrics() {
  std::vector<Variant> all;
  for (const platform::FabricDef& fabric : platform::fabrics()) {
    const bool usual = &fabric == &*platform::fabrics().begin();
    Keys keys        = platform::part_keys();
    keys.push_back(
        {"parts", "nodes of several kinds, in place of `topology` and its counts",
         types::list_of(types::object_of(platform::part_keys(), "an object", {"topology"}), "a list of objects")});
    for (const Keys& more : {fabric.parameters, platform::machine_keys()})
      keys.insert(keys.end(), more.begin(), more.end());
    all.push_back({types::one_of({std::string(fabric.name)}), std::move(keys), usual});
  }
  return all;
}

KeyDef fabric_key() {
  return {"fabric", "what joins the nodes (`foreflow list fabrics`)", types::one_of(platform::fabrics().names()),
          "`" + std::string(platform::fabrics().begin()->name) + "`"};
}

// Clusters and what joins them.
Keys site_keys() {
  Keys keys = {{"sites", "clusters, each with the keys of a recipe of its own",
                types::list_of(variants(fabric_key(), fabrics()), "a list of objects")},
               {"wan", "the line between every two sites", types::object_of(platform::wan_keys(), "an object")}};
  keys.insert(keys.end(), platform::machine_keys().begin(), platform::machine_keys().end());
  return keys;
}

}  // namespace

const Keys& platform_file_keys() {
  static const Keys keys = [] {
    Keys all             = {{"file", "a SimGrid platform in XML, in place of a recipe", types::path()},
                            {"device", "what sits in its hosts; where the file says that, another data sheet or other numbers",
                             platform::device_type(), "as the file says; CPUs if it says nothing"}};
    const Keys& of_hosts = platform::host_device_keys();
    all.insert(all.end(), of_hosts.begin(), of_hosts.end());
    all.push_back(platform::machine_keys().back());
    return all;
  }();
  return keys;
}

ValueType platform_type() {
  ValueType type =
      types::either({variants(fabric_key(), fabrics()), types::object_of(site_keys(), "", {"sites", "wan"}),
                     types::object_of(platform_file_keys(), "", {"file"})});
  type.words = "an object with `topology`, `parts`, `sites` or `file`";
  return type;
}

Keys platform_keys() {
  std::vector<Variant> all = fabrics();
  all.insert(all.begin() + 1, {{}, {fabric_key()}});
  all.push_back({{}, site_keys()});
  all.push_back({{}, platform_file_keys()});
  return together(all);
}

}  // namespace foreflow::scenario
