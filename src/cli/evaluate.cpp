#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/program_file.h"
#include "foreflow/base/text.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/onnx/import.h"
#include "foreflow/onnx/tensor_file.h"
#include "foreflow/ops/table.h"

namespace foreflow::cli::definitions {
namespace {

struct Options {
  std::string file, function, output, json;
  std::vector<std::string> inputs, expected;
  double relative = 1e-3, absolute = 1e-7;
};

using Arrays = std::map<std::string, ir::Array>;

// A program with the names that its parameters and results have for the user.
struct Subject {
  ir::Module module;
  size_t entry = 0;
  Arrays weights;
  std::map<std::string, std::string> aliases;  // the file's name of an input -> the program's
  std::vector<std::string> outputs;
};

Subject read_subject(const Options& options, const Arrays& inputs) {
  Subject subject;
  if (is_onnx(options.file)) {
    onnx::Imported imported =
        onnx::import_model(options.file, ops::table(), onnx::Numbers::read, {.shapes = {}, .inputs = inputs});
    for (const onnx::Port& input : imported.inputs) subject.aliases[input.name] = input.value;
    for (const onnx::Port& output : imported.outputs) subject.outputs.push_back(output.name);
    subject.module  = std::move(imported.module);
    subject.weights = std::move(imported.weights);
    subject.entry   = subject.module.functions.size() - 1;
    return subject;
  }
  subject.module               = read_program(options.file);
  subject.entry                = ir::find_entry(subject.module, options.function);
  const ir::Function& function = subject.module.functions[subject.entry];
  for (const ir::ValueId id : function.results) subject.outputs.push_back(function.value(id).name);
  return subject;
}

Arrays read_arrays(const std::vector<std::string>& settings, const std::string& option) {
  Arrays arrays;
  for (const std::string& setting : settings) {
    const auto [name, path] = split_setting(setting, option);
    arrays[name]            = onnx::read_tensor_file(path).array;
  }
  return arrays;
}

Arrays renamed(const Arrays& arrays, const std::map<std::string, std::string>& aliases) {
  Arrays result;
  for (const auto& [name, array] : arrays) {
    const auto alias                                      = aliases.find(name);
    result[alias == aliases.end() ? name : alias->second] = array;
  }
  return result;
}

void check_known(const Arrays& given, const ir::Function& function) {
  std::vector<std::string> names;
  for (size_t i = 0; i < function.parameters.size(); ++i) names.push_back(function.values[i].name);
  for (const auto& [name, array] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw Error("--input " + name,
                "@" + function.name + " has no such parameter; the nearest is \"" + nearest(name, names) + "\"");
  }
}

std::vector<ir::Array> arguments_of(const Subject& subject, const Arrays& given, const std::string& file) {
  const ir::Function& function = subject.module.functions[subject.entry];
  check_known(given, function);
  std::vector<ir::Array> arguments;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const std::string& name = function.values[i].name;
    const auto input = given.find(name), weight = subject.weights.find(name);
    if (input == given.end() && weight == subject.weights.end()) {
      throw Error(file, fmt::format("%{0} has no numbers; give --input {0}=FILE.pb", name));
    }
    arguments.push_back(input != given.end() ? input->second : weight->second);
  }
  return arguments;
}

struct Comparison {
  bool same_shape = true;
  double absolute = 0;  // largest |ours - expected|
  double relative = 0;  // largest |ours - expected| / |expected|, where expected is not 0
  bool within     = true;
};

Comparison compare(const ir::Array& ours, const ir::Array& expected, const Options& options) {
  Comparison comparison;
  comparison.same_shape = ours.dims() == expected.dims();
  if (!comparison.same_shape) {
    comparison.within = false;
    return comparison;
  }
  for (int64_t i = 0; i < ours.size(); ++i) {
    const double a = ours.at(i), b = expected.at(i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double error  = std::isfinite(a - b) ? std::abs(a - b) : std::numeric_limits<double>::infinity();
    comparison.absolute = std::max(comparison.absolute, error);
    if (b != 0) comparison.relative = std::max(comparison.relative, error / std::abs(b));
    comparison.within = comparison.within && error <= options.absolute + options.relative * std::abs(b);
  }
  return comparison;
}

// JSON has no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json("infinite"); }

struct Answer {
  Json outputs = Json::array();
  std::string text;
  std::vector<std::string> failures;
};

void add_output(Answer& answer, const std::string& name, const ir::Array& array, const ir::Array* expected,
                const Options& options) {
  Json shape = Json::array(), row;
  for (const int64_t dim : array.dims()) shape.push(dim);
  row.set("name", name).set("shape", std::move(shape));
  answer.text += fmt::format("{}: {}", name, ir::to_string(array.type()));
  if (expected != nullptr) {
    const Comparison comparison = compare(array, *expected, options);
    row.set("max_abs_error", number(comparison.absolute));
    row.set("max_rel_error", number(comparison.relative));
    row.set("ok", comparison.within);
    answer.text += comparison.same_shape
                       ? fmt::format(", max error {:.3g} absolute, {:.3g} relative{}", comparison.absolute,
                                     comparison.relative, comparison.within ? "" : "  TOO LARGE")
                       : fmt::format(", expected the shape {}", ir::to_string(expected->dims()));
    if (!comparison.within) answer.failures.push_back(name);
  }
  answer.text += "\n";
  answer.outputs.push(std::move(row));
}

void write_outputs(const std::string& folder, const std::vector<ir::Array>& results, const Subject& subject) {
  make_folder(folder);
  for (size_t i = 0; i < results.size(); ++i) {
    onnx::write_tensor_file((std::filesystem::path(folder) / fmt::format("output_{}.pb", i)).string(),
                            {subject.outputs[i], results[i]});
  }
}

void run(const Options& options) {
  const Arrays inputs                  = read_arrays(options.inputs, "--input");
  const Subject subject                = read_subject(options, inputs);
  const std::vector<ir::Array> results = interpret::evaluate(
      subject.module, subject.entry, arguments_of(subject, renamed(inputs, subject.aliases), options.file));
  Arrays expected = read_arrays(options.expected, "--expect");
  Answer result;
  for (size_t i = 0; i < results.size(); ++i) {
    const auto wanted = expected.extract(subject.outputs[i]);
    add_output(result, subject.outputs[i], results[i], wanted ? &wanted.mapped() : nullptr, options);
  }
  if (!expected.empty()) {
    const std::string& name = expected.begin()->first;
    throw Error("--expect " + name,
                "there is no such output; the nearest is \"" + nearest(name, subject.outputs) + "\"");
  }
  if (!options.output.empty()) write_outputs(options.output, results, subject);
  answer(options.json, Json::object().set("outputs", result.outputs), result.text);
  if (result.failures.empty()) return;
  throw Error(options.file,
              fmt::format("{} of {} outputs differ by more than {:g} + {:g} x |expected|, the first is {}",
                          result.failures.size(), options.expected.size(), options.absolute, options.relative,
                          result.failures.front()));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  command.add_option("FILE", options->file, "a .distir program or an .onnx model")->required();
  command.add_option("--input", options->inputs, "NAME=FILE.pb: numbers of a parameter (ONNX TensorProto); repeatable")
      ->expected(1)
      ->take_all();
  command.add_option("--expect", options->expected, "NAME=FILE.pb: what an output should be; repeatable")
      ->expected(1)
      ->take_all();
  command.add_option("--output", options->output, "write every output to DIR/output_N.pb");
  command.add_option("--function", options->function, "of a .distir program; the last one by default");
  command.add_option("--rtol", options->relative, "tolerance relative to the expected number")->capture_default_str();
  command.add_option("--atol", options->absolute, "tolerance beside it")->capture_default_str();
  command.add_option("--json", options->json, "write shapes and errors to FILE (- for stdout)");
  return [options] { run(*options); };
}

}  // namespace

CommandDef evaluate() {
  return {"evaluate", "run a program or model on real tensors with the reference executor",
          "foreflow evaluate model.onnx --input x=input_0.pb --expect y=output_0.pb", declare};
}

}  // namespace foreflow::cli::definitions
