#include "reproduce/iterations.h"

namespace foreflow::reproduce::definitions::vtrain {
namespace {

// Megatron's shards of a vocabulary are equal: with two, it is padded to a multiple of 128 for each
// (make_vocab_size_divisible_by). With one it is as stated.
void adjust(const Published& row, Json& scenario) {
  constexpr int kPart = 128, kVocabulary = 50257;
  const int tp = row.whole("TP");
  if (tp == 1) return;
  scenario.member("workload").set("vocabulary", (kVocabulary + kPart * tp - 1) / (kPart * tp) * (kPart * tp));
}

Result run(const Options& options) {
  return run_iterations({.file     = "vtrain_a100_2gpu.csv",
                         .scenario = "vtrain",
                         .columns  = {{"global_batch", "strategy.global_batch"},
                                      {"micro_batch", "strategy.microbatch_size"},
                                      {"hidden", "workload.hidden"},
                                      {"heads", "workload.heads"},
                                      {"layers", "workload.layers"},
                                      {"TP", "strategy.tp"},
                                      {"DP", "strategy.dp"},
                                      {"PP", "strategy.pp"}},
                         .measured = "iteration_time_ms",
                         .unit     = 1e-3,
                         .adjust   = adjust},
                        options);
}

}  // namespace

ReproductionDef row() {
  return {
      "vtrain", "240 measured iterations of GPT on 2 A100, Megatron-DeepSpeed",
      "Bang et al., vTrain: A Simulation Framework for Evaluating Cost-effective and Compute-optimal Large Language "
      "Model Training, MICRO 2024 (VIA-Research/vTrain, MIT)",
      run};
}

}  // namespace foreflow::reproduce::definitions::vtrain
