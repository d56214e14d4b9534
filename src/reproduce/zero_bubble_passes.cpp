#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/error.h"
#include "reproduce/layers.h"

namespace foreflow::reproduce::definitions::zero_bubble_passes {
namespace {

// A stage in the middle has `layers`, since the first and the last have one less. Layers and width give the parameters
// in the names: 12 layers hidden^2, and a table of 50,304 words. Heads and microbatches have not been compared with
// table 3 of the paper, which was not at hand; the measured rates agree with them.
struct Model {
  std::string_view name;
  int64_t layers, hidden, heads, microbatch;
};
constexpr Model kModels[] = {
    {"1.5B", 3, 2304, 24, 6}, {"6.2B", 4, 4096, 32, 3}, {"14.6B", 3, 5120, 40, 1}, {"28.3B", 2, 6144, 48, 1}};

void adjust(const Published& row, Json& scenario) {
  const auto model = std::find_if(std::begin(kModels), std::end(kModels),
                                  [&](const Model& one) { return one.name == row.word("model"); });
  if (model == std::end(kModels))
    throw Error("zero_bubble_passes",
                "\"" + row.word("model") + "\" is no model of the paper; it would be 1.5B to 28.3B");
  constexpr int kStages = 3, kMicrobatches = 3;
  scenario.member("workload")
      .set("layers", kStages * model->layers)
      .set("hidden", model->hidden)
      .set("heads", model->heads);
  scenario.member("strategy")
      .set("microbatch_size", model->microbatch)
      .set("global_batch", kMicrobatches * model->microbatch);
}

Result run(const Options& options) {
  return run_layers({.file     = "zero_bubble_table6_pass_times.csv",
                     .scenario = "zero_bubble_passes",
                     .name =
                         [](const Published& row) {
                           return fmt::format("{}, {} microbatches", row.word("model"), row.word("microbatches_m"));
                         },
                     .adjust = adjust,
                     .passes = {{"F", "T_F_ms(unit not printed; ms implied)", &PassTimes::forward},
                                {"B", "T_B_ms", &PassTimes::backward},
                                {"W", "T_W_ms", &PassTimes::weights}},
                     .unit   = 1e-3},
                    options);
}

}  // namespace

ReproductionDef row() {
  return {"zero_bubble_passes", "36 measured passes of stages of GPT on A100: forward, and gradients in two parts",
          "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024, table 6", run};
}

}  // namespace foreflow::reproduce::definitions::zero_bubble_passes
