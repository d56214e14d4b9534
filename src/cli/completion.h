// Shell completion of `foreflow`: the words, taken from the definition of the command line, and the scripts for shells.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace foreflow::cli {

struct CompletedOption {
  std::string name;  // "--engine"
  std::string doc;
  bool takes_value                = false;
  std::vector<std::string> values = {};  // none: names of files
};

struct CompletedCommand {
  std::string name, doc;
  std::vector<CompletedOption> options;
  std::vector<std::string> values;  // of its first word; none: names of files
};

std::vector<CompletedCommand> completed_commands(const CLI::App& app);

// The values of an option ("--engine"), or of the first word ("NAME"), that are rows of tables; none where they are
// not.
std::vector<std::string> values_of(std::string_view command, std::string_view argument);

// The row of values_of that names something which `app` does not have; empty: there is none.
std::string unknown_argument(const CLI::App& app);

std::string bash_completion(const std::vector<CompletedCommand>& commands);
std::string zsh_completion(const std::vector<CompletedCommand>& commands);
std::string fish_completion(const std::vector<CompletedCommand>& commands);

}  // namespace foreflow::cli
