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

// Runs a program found in $PATH, or by its path, in `folder` with nothing on stdin and no signal ignored. No shell
// takes part. Throws std::system_error where there is none.
CommandResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder = ".");

// Runs `foreflow arguments...` the same way.
CommandResult run_foreflow(const std::vector<std::string>& arguments, const std::filesystem::path& folder = ".");

// What the command is denied.
struct Ceiling {
  size_t address_space = 0;   // bytes; 0: no ceiling
  size_t file_size     = 0;   // bytes of a file that is written; 0: no ceiling
  int cpu_seconds      = 0;   // 0: no ceiling
  std::string out      = {};  // stdout goes to this file, and CommandResult::out is empty
};
CommandResult run_foreflow_under(const Ceiling& ceiling, const std::vector<std::string>& arguments,
                                 const std::filesystem::path& folder = ".");

}  // namespace foreflow::test
