#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::overlap_sends_key {
namespace {

// Schedules assume it, and frameworks post their sends; with DistIR's cost model a device does one thing at a time.
void adapt(const cost::CostModel& cost, Strategy& strategy) { strategy.overlap_sends = cost.overlaps_sends; }

std::vector<Json> legal(const SpaceFacts&, const Json& point) { return is_pipelined(point) ? yes_or_no() : words({}); }

}  // namespace

StrategyKeyDef row() {
  return {.name = "overlap_sends",
          .doc =
              "messages of the pipeline travel on streams of their own (`D1.to_next`, `D2.from_prev`, ..), and "
              "computing goes on until they are needed: posted sends and receives, without which no schedule keeps its "
              "published times, because senders wait for receivers that are busy",
          .type      = types::flag(),
          .otherwise = "true; with the cost model `distir` false",
          .read      = read_flag<&Strategy::overlap_sends>,
          .adapt     = adapt,
          .write     = write_member<&Strategy::overlap_sends>,
          .search    = {.searched = Searched::on_demand, .turn = 110, .legal = legal},
          .idle      = idle_flag<&Strategy::overlap_sends, unless_pipelined>};
}

}  // namespace foreflow::scenario::definitions::overlap_sends_key
