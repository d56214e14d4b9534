#include "reproduce/iterations.h"

namespace foreflow::reproduce::definitions::simumax {
namespace {

Result run(const Options& options) {
  return run_iterations({.file     = "simumax_b200_4rows.csv",
                         .scenario = "simumax",
                         .columns  = {{"TP", "strategy.tp"},
                                      {"PP", "strategy.pp"},
                                      {"DP", "strategy.dp"},
                                      {"micro_batch_size", "strategy.microbatch_size"},
                                      {"global_batch", "strategy.global_batch"}},
                         .measured = "real_iteration_ms",
                         .unit     = 1e-3},
                        options);
}

}  // namespace

ReproductionDef row() {
  return {"simumax", "4 measured iterations of twelve layers of Llama-3 70B on 8 B200, Megatron-LM",
          "MooreThreads/SimuMax (Apache-2.0)", run};
}

}  // namespace foreflow::reproduce::definitions::simumax
