// Many names that differ in their numbers as few patterns.
#pragma once

#include <string>
#include <vector>

namespace foreflow::report {

// {"node0-gpu0", "node0-gpu1", "node1-gpu0", "node1-gpu1", "switch"} is {"node[0-1]-gpu[0-1]", "switch"}. A range
// stands for each of its numbers; several ranges in one pattern, for each combination. Names are distinct. In the order
// of the first name of each.
std::vector<std::string> name_patterns(const std::vector<std::string>& names);

}  // namespace foreflow::report
