#include "reproduce/distir.h"
#include "reproduce/iterations.h"

namespace foreflow::reproduce::definitions::distir_pcie {
namespace {

Result run(const Options& options) {
  return run_iterations({.file     = "distir_mlp_dp_pcie_measured.csv",
                         .scenario = "distir_pcie",
                         .columns  = {{"world_size_gpus", "strategy.dp"},
                                      {"num_layers", "workload.layers"},
                                      {"hidden_dim", "workload.hidden"},
                                      {"global_batch_size", "strategy.global_batch"}},
                         .measured = "measured_iter_time_ms",
                         .unit     = 1e-3},
                        options);
}

}  // namespace

ReproductionDef row() {
  return {"distir_pcie", "81 measured iterations of MLPs on 1, 2 and 4 V100 over PCIe, data parallelism",
          distir::kPaper, run};
}

}  // namespace foreflow::reproduce::definitions::distir_pcie
