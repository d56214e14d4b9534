// Runs the command `foreflow` that this build made, and other programs.
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

// Runs a program found in $PATH, or by its path, in `folder` with nothing on stdin. No shell takes part. Throws
// std::system_error where there is none.
CommandResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder = ".");

// Runs `foreflow arguments...` the same way.
CommandResult run_foreflow(const std::vector<std::string>& arguments, const std::filesystem::path& folder = ".");

}  // namespace foreflow::test
