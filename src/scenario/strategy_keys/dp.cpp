#include <fmt/core.h>

#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::dp_key {
namespace {

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  int64_t devices = 1;
  for (const int degree : {strategy.dp, strategy.cp, strategy.tp, strategy.pp}) {
    devices *= degree;
    if (devices > kMostRanks)
      return source.refused(
          "", fmt::format("dp x cp x tp x pp = {} x {} x {} x {} devices are too many; use at most {}", strategy.dp,
                          strategy.cp, strategy.tp, strategy.pp, kMostRanks));
  }
  return std::nullopt;
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "dp",
          .doc =
              "replicas, each of which has its share of the batch; devices are dp x cp x tp x pp. Where one of these "
              "is open, a search tries only degrees that use all devices",
          .type       = degree_type(),
          .fallback   = 1,
          .read       = read_degree<&Strategy::dp>,
          .settle     = settle,
          .depends_on = {"dp", "cp", "tp", "pp"},
          .write      = write_member<&Strategy::dp>,
          .search     = {.searched = Searched::always, .turn = 1, .is_degree = true}};
}

}  // namespace foreflow::scenario::definitions::dp_key
