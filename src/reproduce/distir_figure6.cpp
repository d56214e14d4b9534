// Three clouds of GPT-2 inference strategies, with all batches from 128 to 1048576.
#include "reproduce/clouds.h"

namespace foreflow::reproduce::definitions::distir_figure6 {
namespace {

constexpr std::array kPanels = {"GPT-2 1.6B", "GPT-2 13B", "GPT-2 175B"};

Result run(const Options& options) {
  Result result;
  for (size_t i = 0; i < kPanels.size(); ++i) {
    const Question question = distir::space_of(options, kPanels[i], "distir_figure6");
    add_cloud(result, kPanels[i], question, distir::published(options, "figure6.csv"), options);
    if (options.finished) options.finished(i + 1, kPanels.size());
  }
  result.notes.push_back(
      "numbers were published for GPT-2 1.6B from batch 65536 on; layers are dealt to stages as the authors do it, in "
      "equal blocks of which the last is the final normalisation");
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"distir_figure6", "peak memory and throughput of every strategy for GPT-2 inference", distir::kPaper, run};
}

}  // namespace foreflow::reproduce::definitions::distir_figure6
