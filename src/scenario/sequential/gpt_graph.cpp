#include "scenario/sequential/gpt_graph.h"

#include <algorithm>

#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/simplify.h"
#include "scenario/read.h"
#include "scenario/sequential/program.h"

namespace foreflow::scenario {
namespace {

int64_t stated_or(const workload::KeyValues& stated, std::string_view key, int64_t fallback,
                  int64_t largest = kLargestNumber) {
  return stated.has(key) ? positive(stated.integer_or(key, 0), stated.where(key), largest) : fallback;
}

}  // namespace

Sequential gpt_inference(const Scenario& scenario) {
  const workload::KeyValues& stated = scenario.workload.sizes;
  onnx::Gpt2Size size;
  size.layers            = stated_or(stated, "layers", size.layers, kMostLayers);
  size.heads             = stated_or(stated, "heads", size.heads);
  size.hidden            = stated_or(stated, "hidden", size.hidden);
  size.vocabulary        = stated_or(stated, "vocabulary", size.vocabulary);
  const int64_t sequence = stated_or(stated, "sequence", size.positions);
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
  if (!stated.flag_or("caches", true)) {
    ir::Function& entry = sequential.module.functions.back();
    entry.results.resize(1);
    sequential.module = transform::eliminate_dead_code(sequential.module);
  }
  return sequential;
}

}  // namespace foreflow::scenario
