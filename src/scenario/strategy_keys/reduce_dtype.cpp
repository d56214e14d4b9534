#include <array>

#include "foreflow/base/text.h"
#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::reduce_dtype_key {
namespace {

constexpr std::string_view kOwn = "gradient";

const std::vector<std::string>& choices() {
  static const std::vector<std::string> all = {std::string(kOwn), "f32", "bf16", "f16"};
  return all;
}

void read(const JsonView& value, Strategy& strategy) {
  const std::string& word = value.as_string();
  if (std::find(choices().begin(), choices().end(), word) == choices().end())
    value.fail("is \"" + word + "\"; write " + list_or(choices()));
  strategy.reduce_dtype = word == kOwn ? std::nullopt : ir::find_dtype(word);
}

Json write(const Strategy& strategy) {
  return std::string(strategy.reduce_dtype ? ir::short_name(*strategy.reduce_dtype) : kOwn);
}

// The type of the gradients that are summed, as far as the scenario says.
ir::DType gradient_dtype(const Workload& workload) {
  return workload.precision.float_gradients ? ir::DType::f32 : workload.dtype.value_or(ir::DType::f32);
}

std::string idle(const Scenario& scenario) {
  const Strategy& strategy = scenario.strategy;
  if (!strategy.reduce_dtype) return "";
  if (strategy.dp == 1 && strategy.cp == 1) return "dp and cp are 1";
  if (!scenario.workload.trains()) return "inference has no gradients";
  return unless(*strategy.reduce_dtype != gradient_dtype(scenario.workload), "gradients have this type");
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "reduce_dtype",
          .doc =
              "the type in which gradients are summed over replicas, contexts and the replicas of experts: they are "
              "converted before, and their sums back (FSDP's MixedPrecision(reduce_dtype), DDP's bf16_compress_hook). "
              "`gradient`: that of each gradient, which sums over tp (of norms) and over stages (of tied embeddings) "
              "always have",
          .type           = types::one_of(choices()),
          .fallback       = std::string(kOwn),
          .read           = read,
          .depends_on     = {"reduce_dtype"},
          .write          = write,
          .of_one_replica = true,
          .idle           = idle};
}

}  // namespace foreflow::scenario::definitions::reduce_dtype_key
