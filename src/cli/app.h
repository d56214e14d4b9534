// The command line as a whole: every command with its options.
#pragma once

#include <memory>

#include "cli/command.h"

namespace foreflow::cli {

// `chosen` becomes what the command of the parsed words does; it has to outlive the result.
std::unique_ptr<CLI::App> make_app(Action& chosen);

}  // namespace foreflow::cli
