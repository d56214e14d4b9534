#include "foreflow/ops/table.h"
#include "foreflow/scenario/run.h"
#include "foreflow/transform/tensor.h"

namespace foreflow::scenario {
namespace {

// Only for models from files: families are written for tensor parallelism, and to look for what it leaves whole takes a
// quarter of the time of a prediction. Empty where stages are sharded in different ways: each has a part of the
// program.
std::string on_whole_work(const Scenario& scenario, const Sequential& sequential) {
  const Strategy& strategy = scenario.strategy;
  if (scenario.workload.source == Workload::Source::family || sequential.placed || strategy.has_unequal_stages())
    return "";
  const std::string remark =
      transform::remark_on_whole_work(sequential.module, ops::table(), strategy.tp, strategy.sharding());
  return remark.empty() ? "" : "strategy.tp: " + remark;
}

}  // namespace

std::vector<std::string> remarks_on(const Scenario& scenario, const Sequential& sequential) {
  std::vector<std::string> all = {sequential.remark, on_whole_work(scenario, sequential)};
  std::erase(all, "");
  return all;
}

}  // namespace foreflow::scenario
