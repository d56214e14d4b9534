#include "cli/command.h"

namespace foreflow::cli {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name##_command { CommandDef row(); }
#include "cli/commands.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

const Registry<CommandDef>& commands() {
  // clang-format off
  static const Registry<CommandDef> rows("command", "commands", {
#define FOREFLOW_ROW(name) definitions::name##_command::row(),
#include "cli/commands.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

}  // namespace foreflow::cli
