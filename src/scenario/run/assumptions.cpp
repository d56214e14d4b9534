#include "foreflow/scenario/assumptions.h"

namespace foreflow::scenario {
namespace {

using Condition = bool (*)(const Scenario& scenario);

constexpr Condition kAlways      = [](const Scenario&) { return true; };
constexpr Condition kTrains      = [](const Scenario& scenario) { return scenario.workload.trains(); };
constexpr Condition kHasReplicas = [](const Scenario& scenario) {
  return kTrains(scenario) && scenario.strategy.dp > 1;
};
constexpr Condition kSends         = [](const Scenario& scenario) { return scenario.strategy.devices() > 1; };
constexpr Condition kIsTransformer = [](const Scenario& scenario) {
  return scenario.workload.family != nullptr && scenario.workload.family->traits.is_transformer;
};
constexpr Condition kIsFamilyInFloat32 = [](const Scenario& scenario) {
  return scenario.workload.family != nullptr && scenario.workload.dtype == ir::DType::f32;
};
constexpr Condition kTrainsIn16Bits = [](const Scenario& scenario) {
  const auto dtype = scenario.workload.dtype;
  return kTrains(scenario) && (dtype == ir::DType::f16 || dtype == ir::DType::bf16);
};

struct AssumptionRow {
  std::string_view key, what;
  Condition matters;
};

constexpr AssumptionRow kAssumptions[] = {
    {"workload.dtype", "weights and products are in f32", kIsFamilyInFloat32},
    {"host", "the host issues all kernels and messages at once, and nothing waits for it", kAlways},
    {"collective.library",
     "collectives start at once, keep to one algorithm at any size (all-reduce: a ring), and are as fast as the wires",
     kSends},
    {"strategy.attention", "attention is one kernel that keeps no scores (flash)", kIsTransformer},
    {"strategy.fusion", "norms, activation functions, rotary embeddings and the loss are kernels of their own",
     kIsTransformer},
    {"workload.float_gradients", "gradients have the type of their weights", kTrainsIn16Bits},
    {"workload.float_logits", "the loss has the type of the weights", kTrainsIn16Bits},
    {"strategy.overlap_gradients", "gradients are summed over replicas behind the backward pass", kHasReplicas},
    {"workload.clip_gradients", "gradients are not clipped", kTrains},
};

}  // namespace

std::vector<Assumption> assumptions(const Scenario& scenario) {
  std::vector<Assumption> all;
  for (const AssumptionRow& row : kAssumptions) {
    if (row.matters(scenario) && !scenario.stated.has(row.key))
      all.push_back({std::string(row.key), std::string(row.what)});
  }
  return all;
}

}  // namespace foreflow::scenario
