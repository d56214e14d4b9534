#include "foreflow/sweep/sweep.h"

#include <fmt/core.h>

#include <iostream>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/remarks.h"
#include "cli/timing.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/progress.h"
#include "foreflow/base/text.h"
#include "foreflow/scenario/scenario.h"

namespace foreflow::cli::definitions::sweep_command {
namespace {

constexpr const char* kMeasure =
    "The measure of an axis: on every line of points that differ in this axis alone, the highest throughput (samples "
    "per\n"
    "second) over the lowest; the geometric mean over its lines, and the largest of them. Points that failed are left "
    "out.\n\n";

struct Options {
  std::string scenario, store, engine, json, csv;
  std::vector<std::string> settings;
  int jobs    = default_workers();
  int top     = 10;
  bool timing = false;
};

sweep::Result swept(const Options& options) {
  Json source = scenario::read_source(options.scenario, options.settings);
  remark_on_opsets(source, options.scenario);
  remark_on_data_sheets(source, options.scenario);
  if (!options.engine.empty()) source.set("engine", simulate::engines().get(options.engine, "--engine").name);
  sweep::Options how;
  how.store   = options.store;
  how.version = FOREFLOW_VERSION;
  how.jobs    = options.jobs;
  std::unique_ptr<Progress> progress;
  how.begun = [&](size_t kept, size_t total) {
    if (kept > 0)
      std::cerr << fmt::format("foreflow: {} of {} points are in {}\n", kept, total, escape::terminal(options.store));
    progress = std::make_unique<Progress>("sweep", total, kept);
  };
  how.finished = [&](size_t done, size_t) { progress->update(done); };
  return sweep::sweep(source, options.scenario, how);
}

size_t crashed(const sweep::Result& result) {
  return static_cast<size_t>(std::count_if(result.points.begin(), result.points.end(),
                                           [](const auto& point) { return point.status == sweep::Status::crashed; }));
}

void run(const Options& options) {
  if (options.jobs < 1) throw Error("--jobs", std::to_string(options.jobs) + " is too small; use 1 or more");
  if (options.top < 1) throw Error("--top", std::to_string(options.top) + " is too small; use 1 or more");
  const sweep::Result result = swept(options);
  Json json                  = sweep::to_json(result);
  if (options.timing) add_timing(json);
  if (options.json != "-" && options.csv != "-") show(sweep::to_text(result, static_cast<size_t>(options.top)));
  write_if_given(options.json, json.dump());
  write_if_given(options.csv, sweep::to_csv(result));
  std::cout.flush();
  if (const size_t count = crashed(result); count > 0) {
    throw Error(options.scenario,
                fmt::format("{} of {} points crashed; with a --store, the same command tries them again", count,
                            result.points.size()));
  }
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  command.footer(kMeasure + command.get_footer());
  reads_scenario(
      command
          .add_option("SCENARIO.json", options->scenario, "the question; a list in the place of one value is an axis")
          ->required());
  keeps(command.add_option(
      "--store", options->store,
      "an SQLite file for finished points: a sweep that was ended goes on where it was (default: none)"));
  command.add_option("--jobs", options->jobs,
                     "worker processes (default: one a core); the answer is the same for any number");
  command.add_option("--engine", options->engine, "analytic (no contention) or simgrid; instead of the scenario's");
  command
      .add_option("--set", options->settings,
                  "PATH=VALUE: change one value, such as platform.nodes=[1,2,4]; repeatable")
      ->expected(1)
      ->take_all();
  command.add_option("--top", options->top, "how many of the best points to show")->capture_default_str();
  writes(command.add_option("--json", options->json, "write every point, and what moved them, to FILE (- for stdout)"));
  writes(command.add_option("--csv", options->csv, "write every point to FILE, one a line (- for stdout)"));
  command.add_flag("--timing", options->timing, "add the wall time and peak memory of the command itself to the JSON");
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"sweep", "predict every point of a scenario's axes, and tell which axis moves the answer most",
          "foreflow sweep scenarios/gpt2_xl_dgx2.json --set platform.nodes=[1,2,4] --store nodes.sqlite --csv -",
          declare};
}

}  // namespace foreflow::cli::definitions::sweep_command
