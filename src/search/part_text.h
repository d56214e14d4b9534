// Parts of scenarios as keys of what is kept for several.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/scenario/scenario.h"

namespace foreflow::search {

// A member of the scenario's JSON, compact; "" where it is absent.
inline std::string part_text(const scenario::Scenario& scenario, std::string_view part) {
  const Json* json = scenario.source.find(part);
  return json == nullptr ? "" : json->dump_compact();
}

}  // namespace foreflow::search
