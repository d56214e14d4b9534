#include "foreflow/execute/execute.h"

#include <fmt/core.h>

#include <chrono>

#include "cli/arrays.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/program_file.h"
#include "cli/remarks.h"
#include "cli/run_report.h"
#include "foreflow/base/memory.h"
#include "foreflow/base/progress.h"
#include "foreflow/base/text.h"
#include "foreflow/cost/load.h"
#include "foreflow/execute/arguments.h"
#include "foreflow/execute/plan.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/scenario/run.h"

namespace foreflow::cli::definitions::execute_command {
namespace {

struct Options {
  std::string file, function, output, json, measurements, calibration, ranks = "one";
  std::vector<std::string> inputs, expected, settings;
  Tolerance tolerance{0, 0};
  uint64_t seed  = 1;
  int64_t below  = 2;
  int iterations = 1, warmup = 0;
  double timeout = 300;
  bool check     = false;
};

void check_options(const Options& options) {
  if (options.ranks != "one" && options.ranks != "mpi") throw Error("--ranks " + options.ranks, "write one or mpi");
  if (options.iterations < 1) throw Error("--iterations", "write 1 or more");
  if (options.warmup < 0) throw Error("--warmup", "write 0 or more");
  if (options.below < 1) throw Error("--below", "write 1 or more");
  if (!(options.timeout > 0)) throw Error("--timeout", "write seconds above 0");
  if (options.ranks == "mpi") return;
  if (!options.measurements.empty()) throw Error("--measurements", "times the processes of --ranks mpi; add that");
  if (!options.calibration.empty()) throw Error("--predict", "is compared with a run of --ranks mpi; add that");
}

// The function to run is the last.
ir::Module read_module(const Options& options) {
  if (options.file.ends_with(".json")) {
    const scenario::Scenario scenario = scenario::load_file(options.file, options.settings);
    remark_on_opsets(scenario);
    const scenario::PlatformRef platform  = scenario::load_platform(scenario.platform);
    const scenario::Sequential sequential = scenario::build(scenario);
    return scenario::distribute(sequential, scenario::resolve(scenario, sequential, *platform).value(), *platform);
  }
  if (is_onnx(options.file))
    throw Error(options.file,
                "is no program yet; make it one with `foreflow import`, or run it with `foreflow evaluate`");
  if (!options.settings.empty()) throw Error("--set", "changes a scenario; " + options.file + " is a program");
  ir::Module module = read_program(options.file);
  module.functions.resize(ir::find_entry(module, options.function) + 1);
  return module;
}

ir::Type type_of(const ir::Value& parameter) {
  return parameter.annotation == nullptr ? ir::Type() : *parameter.annotation;
}

// Each of many inputs may fit where all of them do not.
void check_inputs(const Options& options, const ir::Function& function, const Arrays& given) {
  Bytes all;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::Value& parameter = function.values[i];
    if (!given.contains(parameter.name)) all += ir::bytes_of(type_of(parameter));
  }
  if (function.parameters.size() < 2) return;
  try {
    check_memory(all, [] { return "a random number for every element of the inputs"; });
  } catch (const MemoryError& error) {
    throw Error(options.file, error.problem());
  }
}

std::vector<ir::Array> arguments_of(const Options& options, const ir::Module& module) {
  const ir::Function& function = module.entry();
  const Arrays given           = read_arrays(options.inputs, "--input");
  check_known(given, function);
  check_inputs(options, function, given);
  std::mt19937_64 random(options.seed);
  std::vector<ir::Array> arguments;
  Progress progress("inputs", function.parameters.size());
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::Value& parameter = function.values[i];
    const auto input           = given.find(parameter.name);
    if (input != given.end()) {
      arguments.push_back(input->second);
    } else {
      const ir::Type type = type_of(parameter);
      arguments.push_back(execute::random_value(parameter.name, type, options.below, random, options.file));
    }
    progress.update(i + 1);
  }
  return arguments;
}

// One process, one op after the other.
execute::Execution run_alone(const execute::Task& task, const Options& options) {
  execute::Execution execution;
  const size_t entry = task.module.functions.size() - 1;
  const auto runs    = static_cast<size_t>(options.warmup) + static_cast<size_t>(options.iterations);
  Progress progress("execute", runs * interpret::computed_ops(task.module, entry));
  size_t done = 0;
  for (int i = 0; i < options.warmup + options.iterations; ++i) {
    const auto start  = std::chrono::steady_clock::now();
    execution.results = interpret::evaluate(task.module, entry, task.arguments, [&] { progress.update(++done); });
    const Seconds time(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (i >= options.warmup) execution.iterations.push_back(time);
  }
  return execution;
}

execute::Execution run_processes(const execute::Task& task, const Options& options, const std::string& rank_program) {
  const execute::Options how{options.iterations, options.warmup, Seconds(options.timeout), rank_program};
  return execute::run_mpi({{execute::fold_streams(task.module), task.arguments}}, how).front();
}

std::vector<ir::Array> reference_of(const execute::Task& task) {
  const size_t entry = task.module.functions.size() - 1;
  Progress progress("check", interpret::computed_ops(task.module, entry));
  size_t done = 0;
  return interpret::evaluate(task.module, entry, task.arguments, [&] { progress.update(++done); });
}

OutputReport compared(const Options& options, const execute::Task& task, const execute::Execution& execution,
                      const std::vector<std::string>& names) {
  OutputReport report(options.tolerance);
  Arrays expected = read_arrays(options.expected, "--expect");
  std::vector<ir::Array> reference;
  if (options.check) reference = reference_of(task);
  for (size_t i = 0; i < names.size(); ++i) {
    const auto wanted        = expected.extract(names[i]);
    const ir::Array* because = wanted ? &wanted.mapped() : options.check ? &reference[i] : nullptr;
    report.add(names[i], execution.results[i], because);
  }
  check_expected(expected, names);
  return report;
}

void run(const Options& options) {
  check_options(options);
  const bool is_alone            = options.ranks == "one";
  const std::string rank_program = is_alone ? "" : execute::find_rank_program();
  execute::Task task{read_module(options), {}};
  task.arguments = arguments_of(options, task.module);
  std::vector<std::string> names;
  for (const ir::ValueId id : task.module.entry().results) names.push_back(task.module.entry().value(id).name);
  const execute::Execution execution = is_alone ? run_alone(task, options) : run_processes(task, options, rank_program);
  const OutputReport outputs         = compared(options, task, execution, names);
  if (!options.output.empty()) write_outputs(options.output, execution.results, names);
  if (!options.measurements.empty()) write_file(options.measurements, cost::print_csv(execution.measurements));
  constexpr size_t kFew = 8;
  std::string text      = names.size() <= kFew ? outputs.text() : outputs.summary();
  Json json             = Json::object();
  json.set("outputs", outputs.json());
  add_times(execution, json, text);
  if (!options.calibration.empty()) {
    const execute::Task folded{execute::fold_streams(task.module), task.arguments};
    add_prediction(execute::predict(folded, cost::load_model(options.calibration)), execution, json, text);
  }
  answer(options.json, json, text);
  outputs.check(options.file);
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  const auto several = [&](const char* name, std::vector<std::string>& values, const char* doc) {
    return command.add_option(name, values, doc)->expected(1)->take_all();
  };
  reads_scenario(
      command.add_option("FILE", options->file, "a program (FILE.distir) or a scenario (FILE.json)")->required());
  command
      .add_option("--ranks", options->ranks,
                  "one: the reference executor, all devices in one process; mpi: a process a device, under Open MPI")
      ->capture_default_str();
  reads_named(several("--input", options->inputs,
                      "NAME=FILE.pb: numbers of a parameter (ONNX TensorProto); repeatable; others are random"));
  command.add_option("--seed", options->seed, "of the random numbers")->capture_default_str();
  command.add_option("--below", options->below, "random integers are from 0 to below this")->capture_default_str();
  command.add_option("--function", options->function, "of a .distir program; the last one by default");
  several("--set", options->settings, "PATH=VALUE: change one value of a scenario; repeatable");
  command.add_option("--iterations", options->iterations, "how often it runs and is timed")->capture_default_str();
  command.add_option("--warmup", options->warmup, "how often it runs before")->capture_default_str();
  command.add_option("--timeout", options->timeout, "seconds that a process may wait for another")
      ->capture_default_str();
  command.add_flag("--check", options->check, "compare with the reference executor");
  reads_named(several("--expect", options->expected, "NAME=FILE.pb: what an output should be; repeatable"));
  command.add_option("--rtol", options->tolerance.relative, "tolerance relative to the expected number")
      ->capture_default_str();
  command.add_option("--atol", options->tolerance.absolute, "tolerance beside it")->capture_default_str();
  writes_outputs(command.add_option("--output", options->output, "write every output to DIR/output_N.pb"));
  writes(command.add_option("--measurements", options->measurements,
                            "write the times of ops and messages as CSV, for calibrate"));
  reads(command.add_option("--predict", options->calibration,
                           "CALIBRATION.json: predict the same run and show the error"));
  writes(command.add_option("--json", options->json, "write outputs and times to FILE (- for stdout)"));
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"execute", "run a program for real, on CPU processes with messages between them, and time it",
          "foreflow execute workloads/pipeline_mlp.distir --ranks mpi --check --iterations 10 --measurements times.csv",
          declare};
}

}  // namespace foreflow::cli::definitions::execute_command
