#include <algorithm>
#include <array>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::stage_partition_key {
namespace {

using transform::StagePartition;

constexpr std::array<std::string_view, 3> kNames = {"balanced", "uniform", "layers"};  // by StagePartition

std::vector<std::string> names() { return {kNames.begin(), kNames.end()}; }

void read(const JsonView& value, Strategy& strategy) {
  const auto found = std::find(kNames.begin(), kNames.end(), value.as_string());
  if (found == kNames.end()) value.fail("is \"" + value.as_string() + "\"; write " + list_or(names()));
  strategy.partition = static_cast<StagePartition>(found - kNames.begin());
}

// The stated key that counts layers; "" where there is none.
std::string_view counting_key(const StrategySource& source, const Strategy& strategy) {
  if (strategy.layer_share.counts()) return "count_as_layers";
  if (strategy.layer_share.first > 0) return "first_stage_layers";
  if (strategy.layer_share.last > 0) return "last_stage_layers";
  return source.has("stage_partition") ? "stage_partition" : "";
}

// Stated shares are of the arithmetic, unless they are said to be of time.
StagePartition usual(const StrategySource& source, const Strategy& strategy) {
  if (!counting_key(source, strategy).empty()) return StagePartition::layers;
  return source.has("stage_shares") ? StagePartition::uniform : StagePartition::balanced;
}

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  if (!source.has("stage_partition")) strategy.partition = usual(source, strategy);
  const std::string_view key = counting_key(source, strategy);
  if (strategy.partition != StagePartition::layers) {
    if (key.empty() || key == "stage_partition") return std::nullopt;
    return source.refused(key, "counts layers, and stage_partition is " + std::string(nth(kNames, strategy.partition)) +
                                   "; use stage_partition layers");
  }
  if (source.has("stage_shares"))
    return source.refused("stage_shares",
                          "says how work is divided, and stages of whole layers are counted; leave it "
                          "out, or use stage_partition uniform");
  const auto layers = static_cast<int>(layers_of(source.workload));
  if (layers == 0 || strategy.pp == 1) return std::nullopt;
  const auto shares =
      transform::layers_of_stages(layers, strategy.schedule->mapping, strategy.schedule_size, strategy.layer_share);
  if (!shares) return source.refused(key, shares.refusal().why);
  return std::nullopt;
}

Json write(const Strategy& strategy) { return nth(kNames, strategy.partition); }

std::string idle(const Scenario& scenario) {
  const bool stated = scenario.strategy.partition != transform::StagePartition::balanced;
  return stated && scenario.strategy.schedule_size.chunks == 1 ? unless_pipelined(scenario) : "";
}

}  // namespace

StrategyKeyDef row() {
  return {
      .name = "stage_partition",
      .doc =
          "where the model is cut into stages. `balanced`: where every stage fits in memory, if such cuts are found, "
          "and of these where the slowest stage is fastest, by predicted times; "
          "`uniform`: as much arithmetic each; `layers`: as many whole layers each, as frameworks count them (see "
          "count_as_layers and first_stage_layers)",
      .type       = types::one_of(names()),
      .otherwise  = "`balanced`; with stage_shares `uniform`; with keys that count layers `layers`",
      .read       = read,
      .settle     = settle,
      .depends_on = {"stage_partition", "stage_shares", "count_as_layers", "first_stage_layers", "last_stage_layers",
                     "virtual_stages", "schedule", "pp", "microbatches", "microbatch_size", "global_batch", "dp"},
      .write      = write,
      .idle       = idle};
}

}  // namespace foreflow::scenario::definitions::stage_partition_key
