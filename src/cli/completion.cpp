#include "cli/completion.h"

#include "cli/app.h"
#include "cli/output.h"

namespace foreflow::cli::definitions::completion_command {
namespace {

void run(const std::string& shell) {
  Action none;
  const std::unique_ptr<CLI::App> app          = make_app(none);
  const std::vector<CompletedCommand> commands = completed_commands(*app);
  FOREFLOW_CHECK(unknown_argument(*app).empty(), "there are values for no argument: " + unknown_argument(*app));
  if (shell == "bash") return write_if_given("-", bash_completion(commands));
  if (shell == "zsh") return write_if_given("-", zsh_completion(commands));
  if (shell == "fish") return write_if_given("-", fish_completion(commands));
  throw Error("foreflow completion", "unknown shell \"" + shell + "\"; use bash, zsh or fish");
}

Action declare(CLI::App& command) {
  const auto shell = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "bash, zsh or fish")->required();
  return [shell] { run(*shell); };
}

}  // namespace

CommandDef row() {
  return {"completion", "write a script with which a shell completes commands, options and names",
          "source <(foreflow completion bash)", declare};
}

}  // namespace foreflow::cli::definitions::completion_command
