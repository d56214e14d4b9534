#include <array>

#include "foreflow/base/text.h"
#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::shard_unit_key {
namespace {

constexpr std::array<std::string_view, 2> kUnits = {"size", "block"};

void read(const JsonView& value, Strategy& strategy) {
  const std::string& word = value.as_string();
  if (word != kUnits[0] && word != kUnits[1])
    value.fail("is \"" + word + "\"; write " + list_or(std::vector<std::string>(kUnits.begin(), kUnits.end())));
  strategy.by_block = word == kUnits[1];
}

Json write(const Strategy& strategy) { return kUnits[strategy.by_block ? 1 : 0]; }

}  // namespace

StrategyKeyDef row() {
  return {.name = "shard_unit",
          .doc =
              "what travels together of gradients and split weights. `size`: as much as bucket_size says; `block`: a "
              "layer, as FSDP with an auto-wrap policy or fully_shard of each block",
          .type        = types::one_of({kUnits.begin(), kUnits.end()}),
          .fallback    = "size",
          .read        = read,
          .depends_on  = {"shard_unit"},
          .write       = write,
          .of_replicas = true,
          .idle        = idle_flag<&Strategy::by_block, unless_copied>};
}

}  // namespace foreflow::scenario::definitions::shard_unit_key
