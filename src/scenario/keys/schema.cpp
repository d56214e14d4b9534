#include "foreflow/scenario/schema.h"

#include "foreflow/platform/recipe.h"
#include "foreflow/scenario/strategy_key.h"
#include "scenario/keys/sections.h"

namespace foreflow::scenario {
namespace {

Json required(const char* key) {
  Json names = Json::array();
  names.push(key);
  return Json::object().set("required", std::move(names));
}

// Parts that jobs have as well.
Json shared_definitions() {
  Json all = Json::object();
  all.set("workload", workload_type().schema.json());
  all.set("platform", platform_type().schema.json());
  all.set("strategy", types::object_of(strategy_key_rows(), "").schema.json());
  all.set("cost", cost_type().schema.json());
  all.set("host", host_type().schema.json());
  all.set("collective", types::object_of(collective_keys(), "").schema.json());
  all.set("placement", placement_type().schema.json());
  all.set("disturbances", types::object_of(disturbance_keys(), "").schema.json());
  return all;
}

}  // namespace

const Keys& strategy_key_rows() {
  static const Keys keys = [] {
    Keys all;
    for (const StrategyKeyDef& key : strategy_keys()) all.push_back(described(key));
    return all;
  }();
  return keys;
}

const std::vector<KeySection>& key_sections() {
  static const std::vector<KeySection> sections = [] {
    std::vector<KeySection> all = {
        {"", root_keys()},
        {"workload", workload_keys()},
        {"platform", platform_keys()},
        {"platform.parts[]", platform::part_keys()},
        {"platform.links.*", platform::link_keys()},
        {"platform.wan", platform::wan_keys()},
        {"platform.device", platform::device_keys()},
        {"strategy", strategy_key_rows()},
        {"cost", cost_keys()},
        {"host", host_keys()},
        {"collective", collective_keys()},
        {"placement", placement_keys()},
        {"network", network_keys()},
        {"memory", memory_keys()},
    };
    for (KeySection& section : disturbance_sections()) all.push_back(std::move(section));
    all.push_back({"jobs[]", job_keys()});
    return all;
  }();
  return sections;
}

std::string path_of(const KeySection& section, const KeyDef& key) {
  return section.path.empty() ? key.name : section.path + "." + key.name;
}

Json json_schema() {
  Json schema = Json::object();
  schema.set("$schema", "https://json-schema.org/draft/2020-12/schema").set("title", "Foreflow scenario");
  const Json root = types::object_of(root_keys(), "", {"platform"}).schema.json();
  for (const auto& [key, value] : *root.if_object()) schema.set(key, value);
  Json work = Json::array();
  work.push(required("workload"));
  work.push(required("jobs"));
  return schema.set("anyOf", std::move(work)).set("$defs", shared_definitions());
}

}  // namespace foreflow::scenario
