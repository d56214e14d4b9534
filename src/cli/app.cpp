#include "cli/app.h"

#include "cli/files.h"

namespace foreflow::cli {

std::unique_ptr<CLI::App> make_app(Action& chosen) {
  auto app = std::make_unique<CLI::App>(
      "Foreflow predicts how distributed deep learning runs on a cluster: time, memory, links, strategy.", "foreflow");
  app->set_version_flag("--version", "foreflow " FOREFLOW_VERSION);
  app->require_subcommand(1);
  app->footer("foreflow COMMAND --help shows the options of a command and an example.");
  for (const CommandDef& command : commands()) {
    CLI::App* words = app->add_subcommand(std::string(command.name), std::string(command.doc));
    words->footer("Example:\n  " + std::string(command.example));
    words->callback([&chosen, words, action = command.declare(*words)] {
      chosen = [words, action] {
        check_files(*words);
        action();
      };
    });
  }
  return app;
}

}  // namespace foreflow::cli
