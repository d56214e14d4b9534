// Runs the command `foreflow` that this build made.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace foreflow::test {

struct CommandResult {
  int exit_code;  // 128 + the signal when the command was ended by one
  std::string out;
  std::string err;
};

// Runs `foreflow arguments...` in `folder` with nothing on stdin. No shell takes part.
CommandResult run_foreflow(const std::vector<std::string>& arguments, const std::filesystem::path& folder = ".");

}  // namespace foreflow::test
