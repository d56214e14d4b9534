#include "scenario/gpt_graph.h"

#include <algorithm>

#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/simplify.h"
#include "scenario/program.h"
#include "scenario/read.h"

namespace foreflow::scenario {

Sequential gpt_inference(const Scenario& scenario) {
  const JsonView json = scenario.root().at("workload");
  onnx::Gpt2Size size;
  size.layers            = positive_or(json, "layers", size.layers, kMostLayers);
  size.heads             = positive_or(json, "heads", size.heads);
  size.hidden            = positive_or(json, "hidden", size.hidden);
  size.vocabulary        = positive_or(json, "vocabulary", size.vocabulary);
  const int64_t sequence = positive_or(json, "sequence", size.positions);
  size.positions         = std::max(size.positions, sequence);
  if (size.hidden % size.heads != 0) {
    json.at(json.has("heads") ? "heads" : "hidden")
        .fail(std::to_string(size.heads) + " heads do not divide the hidden size " + std::to_string(size.hidden) +
              "; use a divisor of it");
  }
  const onnx::Imported imported = onnx::import_bytes(onnx::write_gpt2(size), "gpt", ops::table(), onnx::Numbers::skip);
  const ir::Dims tokens         = {scenario.strategy.global_batch, 1, sequence};
  Sequential sequential;
  sequential.module = with_dtype(with_shapes(imported, {{imported.inputs.front().name, tokens}}, json.where()),
                                 *scenario.workload.dtype);
  sequential.tokens_per_sample = sequence;
  if (!json.bool_or("caches", true)) {
    ir::Function& entry = sequential.module.functions.back();
    entry.results.resize(1);
    sequential.module = transform::eliminate_dead_code(sequential.module);
  }
  return sequential;
}

}  // namespace foreflow::scenario
