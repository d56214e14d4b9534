// Every key that a scenario may have, for reference tables and editors.
#pragma once

#include <string>
#include <vector>

#include "foreflow/base/key.h"

namespace foreflow::scenario {

// The keys of one object of a scenario. `path` leads to it: "strategy", "jobs[]" for every item of a list,
// "platform.links.*" for every member of an object; empty for the scenario itself.
struct KeySection {
  std::string path;
  Keys keys;
};
const std::vector<KeySection>& key_sections();

// "strategy.tp".
std::string path_of(const KeySection& section, const KeyDef& key);

// JSON Schema, draft 2020-12, of a scenario file: of one point, of the axes of a sweep, and of what a search may leave
// open. It knows names, types and units, not what values go together.
Json json_schema();

}  // namespace foreflow::scenario
