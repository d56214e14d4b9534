#include "foreflow/execute/pytorch.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#include "execute/assemble.h"
#include "execute/deferred_signals.h"
#include "execute/launch.h"
#include "execute/pytorch_answers.h"
#include "execute/run_folder.h"
#include "foreflow/base/text.h"
#include "foreflow/lower/pytorch.h"

namespace foreflow::execute {
namespace {
namespace fs = std::filesystem;

constexpr const char* kScript = "run.py";
constexpr int kTurns          = 3;  // as --in-turn of the script
constexpr Seconds kImport{60};      // longest time that Python may take to start

// As torchrun does, but with all cores in use: the processes share them.
int threads_each(size_t ranks) { return std::max(1, static_cast<int>(std::thread::hardware_concurrency() / ranks)); }

std::string last_line(std::string_view text) {
  std::string last;
  for (const std::string& line : split(text, '\n')) {
    if (!trim(line).empty()) last = trim(line);
  }
  return last;
}

}  // namespace

std::optional<std::string> find_pytorch() {
  std::vector<std::string> candidates{"/usr/bin/python3", "python3"};
  if (const char* chosen = std::getenv("FOREFLOW_PYTHON")) candidates = {chosen};
  const RunFolder folder;
  const std::string has_torch = "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)";
  for (const std::string& candidate : candidates) {
    const Ended ended = run_program({.words        = {candidate, "-c", has_torch},
                                     .log          = folder / "log",
                                     .started      = [] { return true; },
                                     .patience     = kImport,
                                     .interrupted  = [] { return false; },
                                     .remove_files = [&] { folder.remove(); }});
    if (ended.exit_code == 0) return candidate;
  }
  return std::nullopt;
}

InTurn run_pytorch(const Task& task, const Options& options, const std::string& python) {
  FOREFLOW_CHECK(options.iterations > 0 && options.warmup >= 0, "something to run");
  const Programs programs = plan(task.module, task.arguments);
  std::map<ir::Device, ir::Module> modules;
  for (const RankProgram& program : programs) modules.emplace(program.device, program.module);
  const DeferredSignals signals;  // outlives the folder
  const RunFolder folder;
  write_file(folder / kScript, lower::pytorch_script(modules, task.module.source));
  std::vector<std::string> words{"env",
                                 fmt::format("OMP_NUM_THREADS={}", threads_each(programs.size())),
                                 python,
                                 folder / kScript,
                                 "--warmup",
                                 std::to_string(options.warmup),
                                 "--iterations",
                                 std::to_string(kTurns * options.iterations),
                                 "--in-turn",
                                 "--time-ops",
                                 folder / "times.csv",
                                 "--log",
                                 folder / "log.json"};
  const Ended ended = run_program({.words        = words,
                                   .log          = folder / "log",
                                   .started      = [] { return false; },  // so that `patience` is for the whole run
                                   .patience     = options.timeout,
                                   .interrupted  = [&] { return signals.pending(); },
                                   .remove_files = [&] { folder.remove(); }});
  if (ended.interrupted) throw Error(python, "was interrupted");
  if (ended.never_started)
    throw Error(python, fmt::format("the PyTorch program did not end within {}; --timeout gives it more",
                                    format(options.timeout)));
  if (ended.exit_code != 0)
    throw Error(python, fmt::format("the PyTorch program ended with exit code {}; it says: {}", ended.exit_code,
                                    last_line(read_file(folder / "log"))));
  const auto logs = parse_log(read_file(folder / "log.json"), "log.json");
  const auto each = [&](size_t turn) {
    Answers answers     = answers_of(every(logs, kTurns, turn), programs);
    Execution execution = assemble(task, programs, answers.answers);
    execution.timeline  = std::move(answers.timeline);
    execution.spread    = answers.spread;
    return execution;
  };
  return {each(0), each(1), each(2)};
}

}  // namespace foreflow::execute
