// The command `foreflow`: words to calls. The only place where an Error becomes text and an exit code.
#include <iostream>
#include <new>
#include <sstream>

#include "cli/app.h"
#include "cli/output.h"
#include "cli/process.h"
#include "foreflow/base/error.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/suggestion.h"

namespace foreflow::cli {
namespace {

constexpr int kBadInput   = 1;
constexpr int kWrongUsage = 2;

// CLI11 would only say that a command is missing.
bool is_unknown_command(int argc, char** argv) {
  return argc > 1 && argv[1][0] != '-' && commands().find(argv[1]) == nullptr;
}

int run(int argc, char** argv) {
  if (is_unknown_command(argc, argv)) {
    std::cerr << "foreflow: unknown command \"" << escape::terminal(argv[1]) << "\""
              << suggestion(argv[1], commands().names()) << " (see: foreflow --help)\n";
    return kWrongUsage;
  }
  Action action;
  const std::unique_ptr<CLI::App> app = make_app(action);
  try {
    app->parse(argc, argv);
    action();
  } catch (const CLI::ParseError& problem) {
    std::ostringstream out, err;
    const int code = app->exit(problem, out, err);
    show(out.str());
    std::cerr << escape::terminal_lines(err.str());
    if (code != 0) return kWrongUsage;
    check_stdout();  // --help and --version
    return 0;
  }
  check_stdout();
  return 0;
}

}  // namespace
}  // namespace foreflow::cli

int main(int argc, char** argv) {
  foreflow::cli::prepare_process();
  foreflow::cli::MemoryReserve reserve;
  try {
    return foreflow::cli::run(argc, argv);
  } catch (const foreflow::Error& error) {
    std::cerr << "foreflow: error: " << foreflow::escape::terminal(error.what()) << "\n";
  } catch (const std::bad_alloc&) {
    reserve.release();
    std::cerr << "foreflow: error: memory: ran out of it; " << foreflow::cli::memory_left()
              << " are available here, and a smaller input would need less\n";
  } catch (const std::exception& problem) {
    std::cerr << "foreflow: internal error: " << foreflow::escape::terminal(problem.what()) << "\n";
  }
  return foreflow::cli::kBadInput;
}
