#include <array>

#include "foreflow/base/text.h"
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
          .of_one_replica = true};
}

}  // namespace foreflow::scenario::definitions::reduce_dtype_key
