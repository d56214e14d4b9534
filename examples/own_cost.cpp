// A cost model of one's own. It asks the scenario's model what an op takes, and lets matrix products pay for the tiles
// that they fill only in part: a GPU computes whole tiles of 128 x 128 results. The question: does it cost time to give
// GPT-2 more and narrower heads, with the same number of parameters, where attention is not one kernel?
#include <iostream>

#include "foreflow/scenario/run.h"

namespace {

using namespace foreflow;

constexpr int64_t kTile = 128;

double waste(int64_t size) {
  return static_cast<double>((size + kTile - 1) / kTile * kTile) / static_cast<double>(size);
}

// `model`, with matrix products by tiles.
cost::CostModel by_tiles(cost::CostModel model) {
  model.name    = "tiles";
  model.compute = [price = model.compute](const cost::Application& op, const platform::Device& device) {
    cost::Price result = price(op, device);
    if (op.call.def.name != "MatMul" && op.call.def.name != "Gemm") return result;
    const ir::Dims& dims = op.outputs[0].dims;
    result.time          = result.time * waste(dims[dims.size() - 2]) * waste(dims.back());
    return result;
  };
  return model;
}

const char* const kTraining = R"({
  "name": "GPT-2 small",
  "workload": {"model": "gpt", "layers": 12, "hidden": 768, "sequence": 1024, "vocabulary": 50304, "dtype": "f16",
               "mode": "training", "optimizer": "adam"},
  "platform": {"topology": "dgx_a100"},
  "strategy": {"dp": 8, "global_batch": 64, "attention": "unfused"},
  "cost": {"model": "roofline"}
})";

Seconds iteration_time(int heads, bool tiles) {
  Json source = parse_json(kTraining, "training");
  scenario::override_with(source, "workload.heads=" + std::to_string(heads));
  scenario::Scenario training = scenario::load(source, "training");
  if (tiles) training.cost = by_tiles(training.cost);
  return scenario::run(training).summary.iteration_time;
}

}  // namespace

int main() {
  for (const bool tiles : {false, true}) {
    std::cout << (tiles ? "whole tiles\n" : "roofline\n");
    for (const int heads : {6, 12, 24})
      std::cout << "  " << heads << " heads of " << 768 / heads << ": " << format(iteration_time(heads, tiles)) << "\n";
  }
}
