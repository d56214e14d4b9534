#include <algorithm>
#include <array>

#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::stage_partition_key {
namespace {

using transform::StagePartition;

constexpr std::array<std::string_view, 2> kNames = {"balanced", "uniform"};  // by StagePartition

std::vector<std::string> names() { return {kNames.begin(), kNames.end()}; }

void read(const JsonView& value, Strategy& strategy) {
  const auto found = std::find(kNames.begin(), kNames.end(), value.as_string());
  if (found == kNames.end()) value.fail("is \"" + value.as_string() + "\"; write " + list_or(names()));
  strategy.partition = found == kNames.begin() ? StagePartition::balanced : StagePartition::uniform;
}

// Stated shares are of the arithmetic, unless they are said to be of time.
std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  if (!source.has("stage_partition"))
    strategy.partition = source.has("stage_shares") ? StagePartition::uniform : StagePartition::balanced;
  return std::nullopt;
}

Json write(const Strategy& strategy) { return kNames[strategy.partition == StagePartition::uniform ? 1 : 0]; }

}  // namespace

StrategyKeyDef row() {
  return {.name = "stage_partition",
          .doc =
              "where the model is cut into stages. `balanced`: where the slowest stage is fastest, by predicted times; "
              "`uniform`: as many layers each",
          .type       = types::one_of(names()),
          .otherwise  = "`balanced`; with stage_shares `uniform`",
          .read       = read,
          .settle     = settle,
          .depends_on = {"stage_partition", "stage_shares"},
          .write      = write};
}

}  // namespace foreflow::scenario::definitions::stage_partition_key
