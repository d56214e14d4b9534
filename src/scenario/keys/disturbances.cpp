#include "foreflow/simulate/disturbance_kind.h"
#include "scenario/keys/sections.h"

namespace foreflow::scenario {

const Keys& disturbance_keys() {
  static const Keys keys = [] {
    Keys all;
    for (const simulate::DisturbanceDef& kind : simulate::disturbance_kinds())
      all.push_back({std::string(kind.name), std::string(kind.doc), kind.type, "none"});
    return all;
  }();
  return keys;
}

std::vector<KeySection> disturbance_sections() {
  std::vector<KeySection> sections = {{"disturbances", disturbance_keys()}};
  for (const simulate::DisturbanceDef& kind : simulate::disturbance_kinds()) {
    for (const simulate::DisturbanceKeys& object : kind.objects)
      sections.push_back({"disturbances." + object.path, object.keys});
  }
  return sections;
}

}  // namespace foreflow::scenario
