// A command: its options and what it does. CLI11 stays in this folder.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>

#include "foreflow/base/registry.h"

namespace foreflow::cli {

// Runs the command after its arguments are parsed. Throws Error for wrong input.
using Action = std::function<void()>;

struct CommandDef {
  std::string_view name;
  std::string_view doc;
  std::string_view example;  // a complete command line
  Action (*declare)(CLI::App& command);
};

const Registry<CommandDef>& commands();

}  // namespace foreflow::cli
