#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::offload_key {
namespace {

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  if (strategy.offload) {
    if (auto no = check_trains(source, "offload", "true", "false")) return no;
  }
  return std::nullopt;
}

std::vector<Json> legal(const SpaceFacts& facts, const Json&) { return facts.training ? yes_or_no() : words({}); }

}  // namespace

StrategyKeyDef row() {
  return {.name = "offload",
          .doc =
              "all that the forward pass leaves for the backward pass (with recomputation: what that keeps) waits in "
              "the memory of the host, copied there and back over PCIe beside the computation; reports say how much",
          .type       = types::flag(),
          .fallback   = false,
          .read       = read_flag<&Strategy::offload>,
          .settle     = settle,
          .depends_on = {"offload"},
          .write      = write_member<&Strategy::offload>,
          .search     = {.searched = Searched::on_demand, .turn = 130, .legal = legal}};
}

}  // namespace foreflow::scenario::definitions::offload_key
