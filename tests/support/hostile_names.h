// Names that would be more than names in some language of the output, if a writer let them.
#pragma once

#include <string>
#include <vector>

namespace foreflow::test {

struct HostileName {
  std::string label;  // letters and digits, for the name of a test
  std::string bytes;  // any, not empty
};

const std::vector<HostileName>& hostile_names();

// One that is none, so that what a writer does with it shows what it should do with the others.
inline const std::string kHarmlessName = "model 7";

}  // namespace foreflow::test
