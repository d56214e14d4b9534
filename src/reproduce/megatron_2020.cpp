#include <algorithm>

#include "reproduce/iterations.h"

namespace foreflow::reproduce::definitions::megatron_2020 {
namespace {

// "DGX-2 (V100)", "DGX-A100", "DGX-A100 cluster".
void adjust(const Published& row, Json& scenario) {
  const bool volta  = row.word("system").find("V100") != std::string::npos;
  const int servers = std::max(1, row.whole("num_gpus") / (volta ? 16 : 8));
  scenario.member("platform").set("topology", volta ? "dgx2" : "dgx_a100").set("nodes", servers);
  scenario.member("strategy").set("microbatch_size", row.whole("global_batch") / row.whole("data_parallel"));
}

Result run(const Options& options) {
  return run_iterations({.file     = "megatron_2020_dgx2_dgxa100.csv",
                         .scenario = "megatron_2020",
                         .columns  = {{"tensor_parallel", "strategy.tp"},
                                      {"data_parallel", "strategy.dp"},
                                      {"global_batch", "strategy.global_batch"},
                                      {"hidden", "workload.hidden"},
                                      {"attention_heads", "workload.heads"},
                                      {"layers", "workload.layers"}},
                         .measured = "iteration_time_ms",
                         .unit     = 1e-3,
                         .adjust   = adjust},
                        options);
}

}  // namespace

ReproductionDef row() {
  return {"megatron_2020", "12 measured iterations of GPT on 1 to 16 V100 and 1 to 1024 A100, Megatron-LM of 2020",
          "NVIDIA/Megatron-LM, README of 2020 and 2021", run};
}

}  // namespace foreflow::reproduce::definitions::megatron_2020
