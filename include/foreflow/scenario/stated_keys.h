// Which keys a scenario states, by itself or through its framework and its preset.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foreflow::scenario {

// The members of a scenario and, of those that are objects, their own keys, in the order of its text: "workload",
// "workload.model", "strategy", "strategy.tp".
struct StatedKeys {
  std::vector<std::string> paths;

  bool has(std::string_view path) const;
  // The keys of a member: "tp", "pp" of "strategy".
  std::vector<std::string> of(std::string_view member) const;
};

}  // namespace foreflow::scenario
