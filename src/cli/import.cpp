#include <fmt/core.h>

#include <algorithm>

#include "cli/arrays.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/program_file.h"
#include "cli/remarks.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/suggestion.h"
#include "foreflow/binary/program_file.h"
#include "foreflow/interpret/flops.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/parameters.h"
#include "foreflow/transform/simplify.h"

namespace foreflow::cli::definitions::import_command {
namespace {

struct Options {
  std::string file, output, json;
  std::vector<std::string> shapes, dims, inputs;
};

// Exports of compiled programs have them so, and nothing in such a file tells which they are.
constexpr std::string_view kNoWeights =
    "; the file has no weights, which may be among its inputs: a scenario names them in workload.weights";

// An op with an operand or a result of unknown shape has unknown work.
constexpr std::string_view kNoShapes =
    " of the ops whose shapes are known; give the inputs' shapes with --shape or --dim for that of the others";

void check_inputs(const onnx::Imported& imported, const onnx::Given& given) {
  for (const auto& [name, numbers] : given.inputs) {
    std::vector<std::string> names;
    for (const onnx::Port& input : imported.inputs) names.push_back(input.name);
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw Error("--input " + name, "the model has no such input" + suggestion(name, names));
  }
}

// Facts found by the importer, before any pass.
struct Findings {
  int64_t nodes = 0;
  std::map<std::string, int64_t> ops;
  double parameters = 0;  // elements
  Flops flops;
  size_t values = 0;
  std::vector<std::string> unresolved;
};

Findings examine(const onnx::Imported& imported, const ir::Module& module) {
  Findings findings;
  findings.nodes               = imported.nodes;
  const ir::Function& function = module.entry();
  for (const ir::Op& op : function.ops) ++findings.ops[std::string(op.def->name)];
  // Some files have a constant in the place of a weight, such as those that leave out its numbers.
  findings.parameters       = transform::count_parameters(transform::lift_constants(module, ops::table()));
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  findings.flops            = interpret::total_flops(module, interpretation);
  findings.values           = interpretation.entry().values.size();
  findings.unresolved       = interpret::unresolved(module, interpretation);
  return findings;
}

Json to_json(const Findings& findings) {
  Json ops = Json::object(), unresolved = Json::array();
  for (const auto& [name, count] : findings.ops) ops.set(name, count);
  for (const std::string& value : findings.unresolved) unresolved.push(value);
  Json json;
  json.set("nodes", findings.nodes);
  json.set("ops", std::move(ops));
  json.set("parameters", static_cast<int64_t>(findings.parameters));
  json.set("flops", findings.flops.value());
  json.set("values", findings.values);
  json.set("unresolved", std::move(unresolved));
  return json;
}

std::string to_text(const std::string& file, const onnx::Imported& imported, const Findings& findings) {
  constexpr size_t kShown = 10;
  std::string text        = fmt::format("{}: opset {}, {} nodes, {} values\n", escape::terminal(file), imported.opset,
                                        findings.nodes, findings.values);
  text += fmt::format("parameters  {:.0f}{}\nflops       {}{}\nops\n", findings.parameters,
                      findings.parameters > 0 || imported.inputs.empty() ? "" : kNoWeights, format(findings.flops),
                      findings.unresolved.empty() ? "" : kNoShapes);
  for (const auto& [name, count] : findings.ops) text += fmt::format("  {:>6}  {}\n", count, name);
  text += fmt::format("unresolved  {}\n", findings.unresolved.size());
  for (size_t i = 0; i < std::min(kShown, findings.unresolved.size()); ++i)
    text += "  " + escape::terminal(findings.unresolved[i]) + "\n";
  if (findings.unresolved.size() > kShown)
    text += fmt::format("  ... and {} more\n", findings.unresolved.size() - kShown);
  return text;
}

void run(const Options& options) {
  check_program_name(options.output);
  const scenario::InputSizes sizes = parse_sizes(options.shapes, options.dims);
  const onnx::Given given{sizes.shapes, read_arrays(options.inputs, "--input"), sizes.dims};
  remark_on_opset(options.file);
  const onnx::Imported imported = onnx::import_model(options.file, ops::table(), onnx::Numbers::skip, given);
  check_inputs(imported, given);
  const ir::Module module = scenario::with_sizes(imported, sizes);
  if (!options.output.empty()) binary::write_program(options.output, module);
  if (options.output == "-") return;
  const Findings findings = examine(imported, module);
  answer(options.json, to_json(findings), to_text(options.file, imported, findings));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  reads(command.add_option("MODEL.onnx", options->file, "the model")->required());
  command.add_option("--shape", options->shapes, "INPUT=1,128: the shape of a graph input; repeatable")
      ->expected(1)
      ->take_all();
  command.add_option("--dim", options->dims, "batch=8: the size of a dimension that inputs name; repeatable")
      ->expected(1)
      ->take_all();
  reads_named(command
                  .add_option("--input", options->inputs,
                              "NAME=FILE.pb: numbers of a graph input that branches and loops depend on; repeatable")
                  ->expected(1)
                  ->take_all());
  writes(command.add_option(
      "-o,--output", options->output,
      "write the program as .distir, or as .distirb by its name (- for stdout, and nothing else there)"));
  writes(command.add_option("--json", options->json,
                            "write ops, parameters, flops and unresolved shapes to FILE (- for stdout)"));
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"import", "read an ONNX model, infer its shapes, write it as .distir",
          "foreflow import gpt2.onnx --shape input1=1,1,128 -o gpt2.distir", declare};
}

}  // namespace foreflow::cli::definitions::import_command
