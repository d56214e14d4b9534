// A platform as the words of a command state it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foreflow/scenario/scenario.h"

namespace foreflow::cli {

struct PlatformWords {
  std::string name;  // a topology, FILE.xml, or SCENARIO.json for its platform
  std::optional<int> nodes;
  std::vector<std::string> settings;  // "KEY=VALUE"; "platform.KEY", as a scenario has it, is the same
};

bool is_platform_file(const PlatformWords& words);
bool is_scenario(const PlatformWords& words);

// `command` stands in messages for the file that there is not. Throws Error as scenario::read_platform does.
scenario::PlatformChoice read_words(const PlatformWords& words, const std::string& command);

}  // namespace foreflow::cli
