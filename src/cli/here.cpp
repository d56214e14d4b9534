#include "cli/here.h"

#include <fmt/core.h>

#include "foreflow/base/embedded_file.h"
#include "foreflow/execute/arguments.h"
#include "foreflow/execute/plan.h"
#include "foreflow/scenario/axes.h"
#include "foreflow/scenario/run.h"

namespace foreflow::cli {
namespace {

constexpr int64_t kMostProcesses = 64;
constexpr uint64_t kSeed         = 1;
constexpr int64_t kBelow         = 2;  // random integers are 0 or 1, which index any table of two rows

std::string name_of(const scenario::Scenario& scenario, const std::vector<scenario::Axis>& axes,
                    const std::vector<size_t>& choice) {
  if (axes.empty()) return scenario.name;
  Json values = Json::object();
  for (size_t a = 0; a < axes.size(); ++a) values.set(axes[a].path(), axes[a].values[choice[a]]);
  return scenario.name + " " + values.dump_compact();
}

std::vector<HerePoint> points_in(const Json& source, const std::string& file) {
  const auto axes = scenario::axes(source, file);
  std::vector<HerePoint> points;
  for (size_t number = 0; number < scenario::count_points(axes, file); ++number) {
    const auto choice = scenario::choice_of(axes, number);
    auto scenario     = scenario::load(scenario::with_choice(source, axes, choice), file);
    std::string name  = name_of(scenario, axes, choice);
    points.push_back({std::move(name), std::move(scenario)});
  }
  return points;
}

Runner by_pytorch(const HereOptions& options, const std::string& python) {
  const execute::Options how{options.iterations, options.warmup, Seconds(options.timeout)};
  return {"PyTorch (" + python + ")", true, false,
          [=](const execute::Task& task) { return execute::run_pytorch(task, how, python); }};
}

Runner by_mpi(const HereOptions& options) {
  const execute::Options how{options.iterations, options.warmup, Seconds(options.timeout),
                             execute::find_rank_program()};
  return {"the reference executor under Open MPI", false, true, [=](const execute::Task& task) {
            auto runs = execute::run_mpi({task, task, task}, how);
            return execute::InTurn{std::move(runs[0]), std::move(runs[1]), std::move(runs[2])};
          }};
}

}  // namespace

execute::Task task_of(const scenario::Scenario& scenario, const Runner& runner) {
  const scenario::PlatformRef platform  = scenario::load_platform(scenario.platform);
  const scenario::Sequential sequential = scenario::build(scenario);
  const scenario::Scenario resolved     = scenario::resolve(scenario, sequential, *platform).value();
  const int64_t devices                 = resolved.strategy.devices();
  if (devices > kMostProcesses)
    throw Error(scenario.file, fmt::format("needs {} processes, more than the {} that are run on one machine; make "
                                           "strategy.dp, tp or pp smaller",
                                           devices, kMostProcesses));
  execute::Task task{execute::fold_streams(scenario::distribute(sequential, resolved, *platform)), {}};
  const ir::Function& entry = task.module.entry();
  std::mt19937_64 random(kSeed);
  for (size_t i = 0; i < entry.parameters.size() && runner.takes_arguments; ++i) {
    const ir::Value& value = entry.values[i];
    const ir::Type type    = value.annotation == nullptr ? ir::Type() : *value.annotation;
    task.arguments.push_back(execute::random_value(value.name, type, kBelow, random, scenario.file));
  }
  return task;
}

std::vector<HerePoint> points_of(const std::string& file, const std::vector<std::string>& settings) {
  return points_in(scenario::read_source(file, settings), file);
}

std::vector<HerePoint> standard_points() {
  std::vector<HerePoint> all;
  for (const EmbeddedFile& file : here_files()) {
    const std::string path(file.path);
    for (HerePoint& point : points_in(parse_json(file.text, path), path)) all.push_back(std::move(point));
  }
  return all;
}

Runner runner_of(const HereOptions& options) {
  if (options.iterations < 1) throw Error("--iterations", "write 1 or more");
  if (options.warmup < 0) throw Error("--warmup", "write 0 or more");
  if (!(options.timeout > 0)) throw Error("--timeout", "write seconds above 0");
  if (options.runner == "mpi") return by_mpi(options);
  if (!options.runner.empty() && options.runner != "pytorch") throw Error("--runner", "write pytorch or mpi");
  const auto python = options.python.empty() ? execute::find_pytorch() : std::optional(options.python);
  if (python) return by_pytorch(options, *python);
  if (options.runner == "pytorch")
    throw Error("--runner pytorch",
                "no Python here has torch; install it (Debian: python3-torch), or name a Python "
                "that has it with --python");
  return by_mpi(options);
}

void add_here_options(CLI::App& command, HereOptions& options) {
  command.add_option("--runner", options.runner,
                     "pytorch: the generated PyTorch program, with Gloo on CPUs or NCCL on GPUs; mpi: the reference "
                     "executor; default: pytorch where a Python has torch");
  command.add_option("--python", options.python,
                     "the Python that has torch (default: $FOREFLOW_PYTHON, /usr/bin/python3 or python3)");
  command.add_option("--iterations", options.iterations, "how often a program runs and is timed")
      ->capture_default_str();
  command.add_option("--warmup", options.warmup, "how often it runs before")->capture_default_str();
  command
      .add_option("--timeout", options.timeout, "seconds that a PyTorch program may run, or a process of MPI may wait")
      ->capture_default_str();
}

}  // namespace foreflow::cli
