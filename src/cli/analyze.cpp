#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/program_file.h"
#include "cli/remarks.h"
#include "foreflow/analyze/report.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/written_out.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/load.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/simplify.h"

namespace foreflow::cli::definitions::analyze_command {
namespace {

struct Options {
  std::string file, function, weight = "flops", platform, cost = "roofline", json, dot;
  std::vector<std::string> inputs, shapes, dims;
  bool every_op = false;
};

// The functions up to the one that is asked for, with the types that its parameters are given.
ir::Module read_subject(const Options& options) {
  if (is_onnx(options.file)) {
    if (!options.inputs.empty()) throw Error("--input", "is for .distir files; give --shape INPUT=1,128");
    remark_on_opset(options.file);
    const onnx::Imported imported = onnx::import_model(options.file, ops::table(), onnx::Numbers::skip);
    return scenario::with_sizes(imported, parse_sizes(options.shapes, options.dims));
  }
  if (!options.shapes.empty()) throw Error("--shape", "is for .onnx files; give --input NAME=TYPE");
  if (!options.dims.empty()) throw Error("--dim", "is for .onnx files; give --input NAME=TYPE");
  ir::Module module  = read_program(options.file);
  const size_t entry = ir::find_entry(module, options.function);
  module.functions.resize(entry + 1);
  for (const std::string& setting : options.inputs) state_type(module.functions[entry], setting);
  return module;
}

// A cost model with its defaults, on the first device of the platform.
analyze::Weighing weigh_seconds(const Options& options, const analyze::Subject& subject) {
  if (options.platform.empty())
    throw Error("--weight seconds", "needs a device; give --platform NAME (see: foreflow list topologies) or FILE.xml");
  const Json parameters       = Json::object().set("model", options.cost);
  const cost::CostModel model = cost::cost_models().get(options.cost, "--cost").make(JsonView(parameters, "--cost"));
  const platform::Platform platform_ = options.platform.ends_with(".xml")
                                           ? platform::load_file(options.platform)
                                           : platform::make(platform::find_topology(options.platform, "--platform"), 1);
  return analyze::weigh_seconds(subject, model, platform_.devices().front());
}

analyze::Weighing weigh(const Options& options, const analyze::Subject& subject) {
  if (options.weight == "seconds") return weigh_seconds(options, subject);
  if (!options.platform.empty()) throw Error("--platform", "is for --weight seconds");
  if (options.weight == "ops") return analyze::weigh_ops(subject);
  if (options.weight == "flops") return analyze::weigh_flops(analyze::work_of_ops(subject));
  if (options.weight == "bytes") return analyze::weigh_bytes(analyze::work_of_ops(subject));
  throw Error("--weight", "unknown weight \"" + options.weight + "\"; use ops, flops, bytes or seconds");
}

void run(const Options& options) {
  const ir::Module written = read_subject(options);
  ir::check_written_out(written, ir::kMostOpsAnalyzed, "an analysis op by op");
  const bool flat         = written.functions.size() == 1;
  const ir::Module module = flat ? written : transform::inline_calls(written);
  const analyze::Subject subject(module);
  const analyze::Analysis analysis =
      analyze::analyze(subject, analyze::function_rows(written), weigh(options, subject));
  if (!options.dot.empty())
    write_file(options.dot, analyze::to_dot(subject.function(), analysis.graph, analysis.path, analysis.weighing.name));
  if (options.dot == "-") return;
  const auto detail = options.every_op ? analyze::Detail::every_op : analyze::Detail::brief;
  answer(options.json, analyze::to_json(subject, analysis), analyze::to_text(options.file, subject, analysis, detail));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  reads(command.add_option("FILE.distir|MODEL.onnx", options->file, "the program or model")->required());
  command.add_option("--input", options->inputs, "NAME=TYPE: the type of a parameter; repeatable")
      ->expected(1)
      ->take_all();
  command.add_option("--shape", options->shapes, "INPUT=1,128: the shape of a graph input; repeatable")
      ->expected(1)
      ->take_all();
  command.add_option("--dim", options->dims, "batch=8: the size of a dimension that inputs name; repeatable")
      ->expected(1)
      ->take_all();
  command.add_option("--function", options->function, "the function; the last one by default");
  command.add_option("--weight", options->weight, "what the critical path adds up: ops, flops, bytes or seconds")
      ->capture_default_str();
  reads(command.add_option(
      "--platform", options->platform,
      "for seconds: a topology (see: foreflow list topologies) or FILE.xml; its first device counts"));
  command.add_option("--cost", options->cost, "for seconds: the cost model (see: foreflow list costs)")
      ->capture_default_str();
  command.add_flag("--every-op", options->every_op,
                   "print start and slack of every op, not of the critical path alone");
  writes(command.add_option("--json", options->json, "write everything to FILE (- for stdout)"));
  writes(command.add_option("--dot", options->dot,
                            "write the dependency graph for Graphviz to FILE (- for stdout, and nothing else there)"));
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"analyze", "work by op type, dependencies, critical path with slack, and what could be fused",
          "foreflow analyze gpt2.onnx --shape input1=1,1,128 --weight seconds --platform dgx_a100", declare};
}

}  // namespace foreflow::cli::definitions::analyze_command
