#include <iostream>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/program_file.h"
#include "foreflow/base/escape.h"
#include "foreflow/binary/program_file.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/passes.h"

namespace foreflow::cli::definitions::transform_command {
namespace {

struct Options {
  std::string file, output = "-";
  std::vector<std::string> passes, shapes, dims;
};

void run(const Options& options) {
  check_program_name(options.output);
  ir::Module module = read_program_or_model(options.file, parse_sizes(options.shapes, options.dims));
  for (const std::string& pass : options.passes) {
    for (const std::string& note : transform::notes(module, ops::table(), pass))
      std::cerr << escape::terminal(note) << "\n";
    module = transform::apply(module, ops::table(), pass);
  }
  binary::write_program(options.output, module);
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  reads(command.add_option("FILE", options->file, "a .distir program or an .onnx model")->required());
  command
      .add_option("--pass", options->passes,
                  "NAME(key=value, ...), applied in order; repeatable (see: foreflow list passes)")
      ->required()
      ->expected(1)
      ->take_all();
  command.add_option("--shape", options->shapes, "INPUT=1,128: the shape of an .onnx model's input; repeatable")
      ->expected(1)
      ->take_all();
  command
      .add_option("--dim", options->dims, "batch=8: the size of a dimension that the model's inputs name; repeatable")
      ->expected(1)
      ->take_all();
  writes(command
             .add_option("-o,--output", options->output,
                         "where the new program goes: .distir, or .distirb by its name (- for stdout)")
             ->capture_default_str());
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"transform", "apply passes to a program, in order",
          "foreflow transform mlp.distir --pass differentiate --pass 'shard(tp=2)'", declare};
}

}  // namespace foreflow::cli::definitions::transform_command
