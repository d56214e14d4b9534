#include <fmt/core.h>

#include "cli/arrays.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/program_file.h"
#include "cli/remarks.h"
#include "foreflow/base/progress.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/onnx/import.h"
#include "foreflow/onnx/tensor_file.h"
#include "foreflow/ops/table.h"

namespace foreflow::cli::definitions::evaluate_command {
namespace {

struct Options {
  std::string file, function, output, json;
  std::vector<std::string> inputs, expected;
  Tolerance tolerance;
};

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
    remark_on_opset(options.file);
    onnx::Imported imported =
        onnx::import_model(options.file, ops::table(), onnx::Numbers::read, {.shapes = {}, .inputs = inputs});
    remark_on_scales(imported);
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

Arrays renamed(const Arrays& arrays, const std::map<std::string, std::string>& aliases) {
  Arrays result;
  for (const auto& [name, array] : arrays) {
    const auto alias                                      = aliases.find(name);
    result[alias == aliases.end() ? name : alias->second] = array;
  }
  return result;
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
    const ir::Array& array    = input != given.end() ? input->second : weight->second;
    const ir::TypeRef& stated = function.values[i].annotation;
    arguments.push_back(stated ? onnx::as_wanted(array, stated->dtype) : array);
  }
  return arguments;
}

std::vector<ir::Array> evaluated(const Subject& subject, const std::vector<ir::Array>& arguments) {
  Progress progress("evaluate", interpret::computed_ops(subject.module, subject.entry));
  size_t done = 0;
  return interpret::evaluate(subject.module, subject.entry, arguments, [&] { progress.update(++done); });
}

void run(const Options& options) {
  const Arrays inputs   = read_arrays(options.inputs, "--input");
  const Subject subject = read_subject(options, inputs);
  const std::vector<ir::Array> results =
      evaluated(subject, arguments_of(subject, renamed(inputs, subject.aliases), options.file));
  Arrays expected = read_arrays(options.expected, "--expect");
  OutputReport report(options.tolerance);
  for (size_t i = 0; i < results.size(); ++i) {
    const auto wanted = expected.extract(subject.outputs[i]);
    report.add(subject.outputs[i], results[i], wanted ? &wanted.mapped() : nullptr);
  }
  check_expected(expected, subject.outputs);
  if (!options.output.empty()) write_outputs(options.output, results, subject.outputs);
  answer(options.json, Json::object().set("outputs", report.json()), report.text());
  report.check(options.file);
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  reads(command.add_option("FILE", options->file, "a .distir program or an .onnx model")->required());
  reads_named(
      command
          .add_option("--input", options->inputs, "NAME=FILE.pb: numbers of a parameter (ONNX TensorProto); repeatable")
          ->expected(1)
          ->take_all());
  reads_named(command.add_option("--expect", options->expected, "NAME=FILE.pb: what an output should be; repeatable")
                  ->expected(1)
                  ->take_all());
  writes_outputs(command.add_option("--output", options->output, "write every output to DIR/output_N.pb"));
  command.add_option("--function", options->function, "of a .distir program; the last one by default");
  command.add_option("--rtol", options->tolerance.relative, "tolerance relative to the expected number")
      ->capture_default_str();
  command.add_option("--atol", options->tolerance.absolute, "tolerance beside it")->capture_default_str();
  writes(command.add_option("--json", options->json, "write shapes and errors to FILE (- for stdout)"));
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"evaluate", "run a program or model on real tensors with the reference executor",
          "foreflow evaluate model.onnx --input x=input_0.pb --expect y=output_0.pb", declare};
}

}  // namespace foreflow::cli::definitions::evaluate_command
