#include "reproduce/iterations.h"

namespace foreflow::reproduce::definitions::dlperf {
namespace {

Result run(const Options& options) {
  return run_iterations({.file     = "dlperf_gpt_v100_1node.csv",
                         .scenario = "dlperf",
                         .columns  = {{"dp", "strategy.dp"},
                                      {"tp", "strategy.tp"},
                                      {"pp", "strategy.pp"},
                                      {"micro_batch", "strategy.microbatch_size"},
                                      {"global_batch", "strategy.global_batch"},
                                      {"hidden", "workload.hidden"},
                                      {"heads", "workload.heads"},
                                      {"layers", "workload.layers"}},
                         .measured = "megatron_iter_latency_ms",
                         .unit     = 1e-3},
                        options);
}

}  // namespace

ReproductionDef row() {
  return {"dlperf", "8 measured iterations of GPT on 1 and 8 V100, Megatron-LM with full recomputation",
          "Oneflow-Inc/DLPerf (Apache-2.0)", run};
}

}  // namespace foreflow::reproduce::definitions::dlperf
