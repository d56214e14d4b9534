#include "foreflow/base/text.h"
#include "reproduce/iterations.h"

namespace foreflow::reproduce::definitions::sailor {
namespace {

// "1/1": the replicas of each stage, which are equal here; "2" of one stage.
void adjust(const Published& row, Json& scenario) {
  const std::string first = split(row.word("DP_per_stage"), '/').front();
  scenario.member("strategy").set("dp", parse_number<int64_t>(first).value());
}

Result run(const Options& options) {
  return run_iterations({.file     = "sailor_gh200_small.csv",
                         .scenario = "sailor",
                         .columns  = {{"layers", "workload.layers"},
                                      {"hidden", "workload.hidden"},
                                      {"heads", "workload.heads"},
                                      {"vocab", "workload.vocabulary"},
                                      {"nodes", "platform.nodes"},
                                      {"TP", "strategy.tp"},
                                      {"PP", "strategy.pp"},
                                      {"micro_batch", "strategy.microbatch_size"},
                                      {"global_batch", "strategy.global_batch"}},
                         .measured = "measured_iteration_s",
                         .adjust   = adjust},
                        options);
}

}  // namespace

ReproductionDef row() {
  return {"sailor", "5 measured iterations of OPT 350M and GPT-Neo on 4 and 8 GH200",
          "Strati et al., Sailor: Automating Distributed Training over Dynamic, Heterogeneous, and Geo-distributed "
          "Clusters (2025; MIT)",
          run};
}

}  // namespace foreflow::reproduce::definitions::sailor
