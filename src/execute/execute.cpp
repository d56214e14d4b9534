#include "foreflow/execute/execute.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

#include "execute/assemble.h"
#include "execute/deferred_signals.h"
#include "execute/job.h"
#include "execute/launch.h"
#include "execute/run_folder.h"
#include "execute/values.h"
#include "foreflow/base/text.h"

namespace foreflow::execute {
namespace {
namespace fs = std::filesystem;

constexpr const char* kWhere = "--ranks mpi";

void write_jobs(const RunFolder& folder, size_t number, const Task& task, const Programs& programs,
                const Options& options) {
  Job job;
  for (const RankProgram& program : programs)
    job.devices.push_back("D" + (program.device.placed() ? ir::to_string(program.device) : "1"));
  job.iterations = options.iterations;
  job.warmup     = options.warmup;
  for (size_t rank = 0; rank < programs.size(); ++rank) {
    job.rank    = static_cast<int>(rank);
    job.program = programs[rank];
    job.arguments.clear();
    for (const size_t parameter : programs[rank].parameters) job.arguments.push_back(task.arguments[parameter]);
    write_file(folder / job_file(number, job.rank), to_bytes(job));
  }
}

// Shared memory without the kernel's help, which containers forbid; no network, no remote shell.
std::vector<std::string> command_line(size_t ranks, const RunFolder& folder, const Options& options) {
  std::vector<std::string> words = {"mpirun", "-n", std::to_string(ranks), "--oversubscribe", "--bind-to", "none"};
  if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
  const bool crowded = ranks > std::thread::hardware_concurrency();
  for (const auto& [key, value] :
       {std::pair{"mpi_yield_when_idle", crowded ? "1" : "0"}, std::pair{"plm", "isolated"}, std::pair{"pml", "ob1"},
        std::pair{"btl", "self,vader"}, std::pair{"btl_vader_single_copy_mechanism", "none"}}) {
    words.insert(words.end(), {"--mca", key, value});
  }
  words.insert(words.end(), {options.rank_program, folder.path().string(), fmt::format("{}", options.timeout.value())});
  return words;
}

// mpirun's last notice, which stands between two rules, or what was said last, on one line.
std::string last_words(std::string_view text) {
  std::string words, before;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("-----")) {
      if (!words.empty()) before = std::exchange(words, "");
    } else if (!trim(line).empty()) {
      words += (words.empty() ? "" : " ") + std::string(trim(line));
    }
  }
  return words.empty() ? before : words;
}

[[noreturn]] void fail(const RunFolder& folder, const Ended& ended, size_t ranks) {
  for (size_t rank = 0; rank < ranks; ++rank) {
    const std::string file = folder / failure_file(static_cast<int>(rank));
    if (!fs::exists(file)) continue;
    const auto parts = unpack(read_file(file));
    throw Error(fmt::format("rank {}: {}", rank, parts[0]), parts[1]);
  }
  if (ended.exit_code == 127) throw Error(kWhere, "there is no program mpirun; install Open MPI (Debian: openmpi-bin)");
  const std::string line = last_words(read_file(folder / "log"));
  throw Error(kWhere, fmt::format("{}{}",
                                  ended.never_started ? "the processes did not start"
                                                      : fmt::format("mpirun ended with exit code {}", ended.exit_code),
                                  line.empty() ? "" : "; it says: " + line));
}

}  // namespace

std::vector<Execution> run_mpi(const std::vector<Task>& tasks, const Options& options) {
  FOREFLOW_CHECK(options.iterations > 0 && options.warmup >= 0 && !tasks.empty(), "something to run");
  std::vector<Programs> programs;
  for (const Task& task : tasks) programs.push_back(plan(task.module, task.arguments));
  const DeferredSignals signals;  // outlives the folder
  const RunFolder folder;
  size_t ranks = 0;
  for (size_t t = 0; t < tasks.size(); ++t) {
    write_jobs(folder, t, tasks[t], programs[t], options);
    ranks = std::max(ranks, programs[t].size());
  }
  constexpr Seconds kPatience{60};
  const Ended ended = run_program({.words        = command_line(ranks, folder, options),
                                   .log          = folder / "log",
                                   .started      = [&] { return fs::exists(folder / kStarted); },
                                   .patience     = kPatience,
                                   .interrupted  = [&] { return signals.pending(); },
                                   .remove_files = [&] { folder.remove(); }});
  if (ended.interrupted) throw Error(kWhere, "was interrupted");
  if (ended.exit_code != 0) fail(folder, ended, ranks);
  std::vector<Execution> executions;
  for (size_t t = 0; t < tasks.size(); ++t) {
    std::vector<Answer> answers;
    for (size_t rank = 0; rank < programs[t].size(); ++rank)
      answers.push_back(answer_from(read_file(folder / answer_file(t, static_cast<int>(rank)))));
    executions.push_back(assemble(tasks[t], programs[t], answers));
  }
  return executions;
}

std::string find_rank_program() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {here, here / "../libexec/foreflow"}) {
    if (fs::exists(folder / "foreflow-rank")) return (folder / "foreflow-rank").lexically_normal().string();
  }
  throw Error(kWhere,
              "there is no program foreflow-rank beside foreflow; it is built where Open MPI is installed (Debian: "
              "libopenmpi-dev)");
}

}  // namespace foreflow::execute
