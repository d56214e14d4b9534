#include "scenario/sequential/gpt_graph.h"

#include <algorithm>

#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/simplify.h"
#include "scenario/read.h"
#include "scenario/sequential/program.h"

namespace foreflow::scenario {

Sequential gpt_inference(const Scenario& scenario) {
  const workload::KeyValues& stated = scenario.workload.sizes;
  const workload::FilledValues values(scenario.workload.family->keys, stated);
  const auto legal = [&](std::string_view key, int64_t largest = kLargestNumber) {
    return positive(values.integer(key), stated.where(key), largest);
  };
  onnx::Gpt2Size size;
  size.layers            = legal("layers", kMostLayers);
  size.heads             = legal("heads");
  size.hidden            = legal("hidden");
  size.vocabulary        = legal("vocabulary");
  const int64_t sequence = legal("sequence");
  size.positions         = std::max(size.positions, sequence);
  if (size.hidden % size.heads != 0) {
    stated.fail(stated.has("heads") ? "heads" : "hidden", std::to_string(size.heads) +
                                                              " heads do not divide the hidden size " +
                                                              std::to_string(size.hidden) + "; use a divisor of it");
  }
  const onnx::Imported imported = onnx::import_bytes(onnx::write_gpt2(size), "gpt", ops::table(), onnx::Numbers::skip);
  const ir::Dims tokens         = {scenario.strategy.global_batch, 1, sequence};
  Sequential sequential;
  sequential.module =
      with_dtype(with_shapes(imported, {{imported.inputs.front().name, tokens}}, scenario.where("workload")),
                 *scenario.workload.dtype);
  sequential.tokens_per_sample = sequence;
  if (!values.flag("caches")) {
    ir::Function& entry = sequential.module.functions.back();
    entry.results.resize(1);
    sequential.module = transform::eliminate_dead_code(sequential.module);
  }
  return sequential;
}

}  // namespace foreflow::scenario
