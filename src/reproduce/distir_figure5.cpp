// Three clouds of MLP training strategies: (a) 1B and (b) 17B with batch 65536, (c) 103B with batch 256.
#include "reproduce/clouds.h"

namespace foreflow::reproduce::definitions::distir_figure5 {
namespace {

struct Panel {
  const char* model;
  int64_t batch;
};
constexpr std::array kPanels = {Panel{"MLP 1B", 65536}, Panel{"MLP 17B", 65536}, Panel{"MLP 103B", 256}};

Result run(const Options& options) {
  Result result;
  for (size_t i = 0; i < kPanels.size(); ++i) {
    Question question = distir::space_of(options, kPanels[i].model, "distir_figure5");
    set_strategy(question, "global_batch", kPanels[i].batch);
    add_cloud(result, kPanels[i].model, question, distir::published(options, "figure5.csv"), options);
    if (options.finished) options.finished(i + 1, kPanels.size());
  }
  result.notes.push_back(
      "numbers were published for MLP 1B only; strategies that do not fit in memory are left out, as in the figure");
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"distir_figure5", "peak memory and throughput of every strategy for MLP training", distir::kPaper, run};
}

}  // namespace foreflow::reproduce::definitions::distir_figure5
