#include "reproduce/iterations.h"

namespace foreflow::reproduce::definitions::alpa {
namespace {

// The choices of the solver of auto_sharding were not published. The other models are mixtures and convolutions of
// Alpa's own making.
bool counts(const Published& row) {
  return row.word("model_family") == "GPT" && row.word("strategy") != "auto_sharding" && row.word("status") == "ok";
}

void adjust(const Published& row, Json& scenario) {
  scenario.member("strategy").set("zero", row.word("strategy") == "zero_2" ? 2 : 0);
  scenario.member("strategy").set("microbatch_size", row.whole("batch") / row.whole("num_gpus"));
}

Result run(const Options& options) {
  return run_iterations({.file     = "alpa_weak_scaling_v100.csv",
                         .scenario = "alpa",
                         .columns  = {{"num_gpus", "strategy.dp"},
                                      {"batch", "strategy.global_batch"},
                                      {"hidden_or_channels", "workload.hidden"},
                                      {"heads", "workload.heads"},
                                      {"layers", "workload.layers"}},
                         .measured = "mean_iter_latency_s",
                         .adjust   = adjust,
                         .counts   = counts},
                        options);
}

}  // namespace

ReproductionDef row() {
  return {
      "alpa", "measured iterations of GPT on 1 to 8 V100, data parallelism and ZeRO 2 under Alpa",
      "Zheng et al., Alpa: Automating Inter- and Intra-Operator Parallelism for Distributed Deep Learning, OSDI 2022 "
      "(alpa-projects/alpa, Apache-2.0)",
      run};
}

}  // namespace foreflow::reproduce::definitions::alpa
