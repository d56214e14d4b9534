#include "foreflow/reshard/strategy.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::resharding_key {
namespace {

void read(const JsonView& value, Strategy& strategy) {
  strategy.resharding = &reshard::strategies().get(value.as_string(), value.where());
}

Json write(const Strategy& strategy) {
  return strategy.resharding == nullptr ? Json() : Json(strategy.resharding->name);
}

std::vector<Json> legal(const SpaceFacts&, const Json& point) {
  if (!has_unequal_stages(point)) return {};
  std::vector<Json> values;
  for (const reshard::StrategyDef& row : reshard::strategies()) {
    if (row.moves_data) values.emplace_back(row.name);
  }
  return values;
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "resharding",
          .doc =
              "by which messages a tensor goes from a stage to one that is sharded in another way (stage_tp, stage_cp, "
              "stage_sequence_parallel): chunks "
              "passed on from device to device, single messages, parts that are gathered behind the network, or the "
              "single messages with one byte each, to know what their latencies take",
          .type     = types::one_of(reshard::strategies().names()),
          .fallback = "broadcast",
          .read     = read,
          .write    = write,
          .search   = {.searched = Searched::on_demand, .turn = 112, .legal = legal}};
}

}  // namespace foreflow::scenario::definitions::resharding_key
