#include <algorithm>

#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::stage_tp_key {
namespace {

constexpr std::string_view kKey = "stage_tp", kEqual = "equal";

void read(const JsonView& value, Strategy& strategy) { strategy.stage_tp = read_degrees(value, "number of shards"); }

// If stages differ only in `stage_cp` or `stage_sequence_parallel`, all of them have as many shards.
std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  auto& tp = strategy.stage_tp;
  if (tp.empty()) return std::nullopt;
  if (auto no = check_degrees(source, kKey, tp, strategy.pp, "tp")) return no;
  strategy.tp = *std::max_element(tp.begin(), tp.end());
  // Equal stages are those of tp; what is settled later may make them unequal again.
  if (std::all_of(tp.begin(), tp.end(), [&](int degree) { return degree == strategy.tp; })) {
    tp.clear();
    return std::nullopt;
  }
  return check_stages(source, kKey, strategy);
}

Json write(const Strategy& strategy) { return write_degrees(strategy.stage_tp); }

// Stages in two runs, the one with the most shards before or behind the other, that use all devices. Whatever else a
// scenario lists is legal, too. Where ranks share sequences, stage_cp, which is decided later, may change how many
// devices there are.
std::vector<Json> legal(const SpaceFacts& facts, const Json& point) {
  return degrees_of_stages(point, kKey, whole_or(point, "tp", 1), [&](const Json& one) {
    return whole_or(one, "cp", 1) > 1 || devices_of(one) == facts.devices;
  });
}

}  // namespace

StrategyKeyDef row() {
  return {
      .name = kKey,
      .doc =
          "the shards of each stage where they are not equal: a number for each device of the pipeline, which has as "
          "many devices and as much more of the work; tensors change their layout between such stages (Reshard). "
          "Devices are then dp x cp x the sum",
      .type           = types::text("\"equal\", or whole numbers such as \"4:2\""),
      .fallback       = kEqual,
      .read           = read,
      .settle         = settle,
      .depends_on     = {"stage_tp", "stage_cp", "stage_sequence_parallel", "dp", "tp", "pp", "cp", "ep",
                         "sequence_parallel", "vocabulary_parallel", "context_attention"},
      .write          = write,
      .of_one_replica = true,
      .search         = {.searched = Searched::on_demand, .turn = 5, .legal = legal, .is_degree = true}};
}

}  // namespace foreflow::scenario::definitions::stage_tp_key
