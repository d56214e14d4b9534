#include "reproduce/iterations.h"

namespace foreflow::reproduce::definitions::mlperf {
namespace {

// Each round ran on the software of its time.
void adjust(const Published& row, Json& scenario) {
  scenario.set("framework", row.word("round") == "v3.0" ? "nemo@23.04" : "nemo@23.09");
}

Result run(const Options& options) {
  return run_iterations({.file     = "mlperf_gpt3_512xH100.csv",
                         .scenario = "mlperf",
                         .columns  = {{"DP", "strategy.dp"},
                                      {"TP", "strategy.tp"},
                                      {"PP", "strategy.pp"},
                                      {"VP_chunks", "strategy.virtual_stages"},
                                      {"micro_batch", "strategy.microbatch_size"},
                                      {"global_batch", "strategy.global_batch"}},
                         .measured = "median_step_s",
                         .adjust   = adjust},
                        options);
}

}  // namespace

ReproductionDef row() {
  return {"mlperf", "2 measured iterations of GPT-3 175B on 512 H100 in fp8, NeMo",
          "MLPerf Training 3.0 and 3.1, logs of NVIDIA (mlcommons/training_results_v3.0 and v3.1, Apache-2.0)", run};
}

}  // namespace foreflow::reproduce::definitions::mlperf
