// Runs programs here, and compares what was measured with what was predicted.
#include <fmt/core.h>

#include <cmath>
#include <iostream>

#include "cli/files.h"
#include "cli/here.h"
#include "cli/output.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/progress.h"
#include "foreflow/base/text.h"
#include "foreflow/cost/load.h"
#include "foreflow/execute/compare.h"

namespace foreflow::cli::definitions::validate_command {
namespace {

using execute::Compared;

struct Options {
  std::vector<std::string> scenarios, settings;
  HereOptions how;
  std::string calibration, json, trace;
  bool here = false;
};

// The source of prices: a file, or a profile of the program itself.
struct Prices {
  cost::Calibration calibration;
  cost::CostModel model;
};

Prices prices_from(const cost::Calibration& calibration) {
  Json parameters = Json::object();
  parameters.set("model", "calibrated").set("families", cost::to_json(calibration));
  return {calibration, cost::make_model(JsonView(parameters, "the profile"))};
}

Prices prices_in(const std::string& file) {
  const Json json = parse_json(read_file(file), file);
  const JsonView view(json, file);
  return {view.has("families") ? cost::from_json(view.at("families")) : cost::Calibration{}, cost::load_model(file)};
}

std::string row_of(const Compared& row) {
  return fmt::format("  {:<28}{:>12}{:>12}{:>11}\n", escape::terminal(row.name), format(row.measured),
                     format(row.predicted), fmt::format("{:+.1f} %", row.relative_error() * 100));
}

// The rows of a program, whose first is the iteration.
struct Validated {
  std::vector<Compared> rows;
  std::string trace;
};

Validated validate(const HerePoint& point, const Runner& runner, const Options& options) {
  constexpr size_t kSteps = 4;
  Progress progress("validate", kSteps);
  const execute::Task task = task_of(point.scenario, runner);
  progress.update(1);
  const execute::InTurn runs = runner.run(task);
  progress.update(2);
  const Prices prices =
      options.calibration.empty() ? prices_from(cost::fit(runs.profile.measurements)) : prices_in(options.calibration);
  const auto predicted = execute::predict(task, prices.model, runs.profile.spread);
  progress.update(3);
  return {execute::compare(predicted, prices.calibration, runs.whole, runs.detailed),
          execute::trace(predicted, runs.detailed)};
}

Json to_json(const Compared& row, const std::string& prefix) {
  Json json = Json::object().set("name", prefix + row.name).set("measured_s", row.measured.value());
  return json.set("predicted_s", row.predicted.value()).set("relative_error", row.relative_error());
}

void run(const Options& options) {
  if (!options.here)
    throw Error("validate", "add --here: the program runs on this machine, with a process for each device");
  std::vector<HerePoint> points;
  for (const std::string& file : options.scenarios) {
    for (HerePoint& point : points_of(file, options.settings)) points.push_back(std::move(point));
  }
  if (!options.trace.empty() && points.size() > 1)
    throw Error("--trace", fmt::format("is of one program; there are {}", points.size()));
  const Runner runner = runner_of(options.how);
  if (!options.trace.empty() && !runner.has_timelines)
    throw Error("--trace", "needs the timelines of PyTorch, and the program is run by " + runner.name);
  Json rows        = Json::array();
  std::string text = fmt::format("run by {}, {} iterations\n", escape::terminal(runner.name), options.how.iterations);
  double error     = 0;
  for (size_t p = 0; p < points.size(); ++p) {
    if (points.size() > 1)
      std::cerr << fmt::format("foreflow: {} of {}: {}\n", p + 1, points.size(), escape::terminal(points[p].name));
    const Validated validated = validate(points[p], runner, options);
    text += fmt::format("\n{}\n  {:<28}{:>12}{:>12}{:>11}\n", escape::terminal(points[p].name), "", "measured",
                        "predicted", "error");
    for (const Compared& row : validated.rows) {
      text += row_of(row);
      rows.push(to_json(row, points.size() > 1 ? points[p].name + ": " : ""));
    }
    error += std::abs(validated.rows.front().relative_error());
    write_if_given(options.trace, validated.trace);
  }
  const double mape = error / static_cast<double>(points.size());
  if (points.size() > 1)
    text += fmt::format("\n{} programs, mean error of the iteration {:.1f} %\n", points.size(), mape * 100);
  Json json = Json::object().set("runner", runner.name).set("rows", std::move(rows));
  answer(options.json, json.set("mape", mape), text);
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  reads_scenario(
      command
          .add_option("SCENARIO.json", options->scenarios, "what runs; each point of a scenario with axes; one or more")
          ->required());
  command.add_flag("--here", options->here, "on this machine, with a process for each device");
  command.add_option("--set", options->settings, "PATH=VALUE: change one value, such as strategy.tp=2; repeatable")
      ->expected(1)
      ->take_all();
  add_here_options(command, options->how);
  reads(command.add_option("--calibration", options->calibration,
                           "predict with this file of `foreflow calibrate`; by default with a profile of the program"));
  writes(
      command.add_option("--trace", options->trace,
                         "write both timelines of an iteration to FILE, for ui.perfetto.dev; one program, of PyTorch"));
  writes(command.add_option("--json", options->json, "write the rows to FILE (- for stdout)"));
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"validate", "run a scenario for real on this machine, and show what was measured beside what was predicted",
          "foreflow validate scenarios/here/gpt.json --here", declare};
}

}  // namespace foreflow::cli::definitions::validate_command
