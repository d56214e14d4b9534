// Every key that a scenario may have, for reference tables and editors.
#pragma once

#include <string>
#include <vector>

#include "foreflow/base/key.h"

namespace foreflow::scenario {

// The keys of one object of a scenario. `path` is where the object stands: "strategy"; "jobs[]" for each item of a
// list; "platform.links.*" for each member of an object; "" for the scenario itself.
struct KeySection {
  std::string path;
  Keys keys;
};
const std::vector<KeySection>& key_sections();

// "strategy.tp".
std::string path_of(const KeySection& section, const KeyDef& key);

// Throws Error at a key of the scenario, or of one of its parts, that is none there but is one of another part. Keys
// that no part has are left to the readers.
void refuse_misplaced_keys(const JsonView& root);

// JSON Schema, draft 2020-12, of a scenario file: for single points, sweeps with axes, and searches with keys left
// open. It checks names, types and units, but not which values are legal together.
Json json_schema();

}  // namespace foreflow::scenario
