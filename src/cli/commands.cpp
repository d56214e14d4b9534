#include "cli/command.h"

namespace foreflow::cli {

namespace definitions {
#define FOREFLOW_X(name) CommandDef name();
#include "cli/commands.def"
#undef FOREFLOW_X
}  // namespace definitions

const Registry<CommandDef>& commands() {
  static const Registry<CommandDef> table("command", {
#define FOREFLOW_X(name) definitions::name(),
#include "cli/commands.def"
#undef FOREFLOW_X
                                                     });
  return table;
}

}  // namespace foreflow::cli
