#include <algorithm>
#include <cstdlib>

#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::microbatches_key {
namespace {

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  if (strategy.global_batch == 0 || source.has("microbatch_size")) return std::nullopt;
  const int64_t replica = strategy.global_batch / strategy.dp;
  if (auto no = check_divides(source, "microbatches", strategy.microbatches, replica,
                              "the " + std::to_string(replica) + " samples of each replica"))
    return no;
  return std::nullopt;
}

std::vector<Json> legal(const SpaceFacts&, const Json& point) {
  const int64_t replica = whole_or(point, "global_batch", 1) / std::max<int64_t>(whole_or(point, "dp", 1), 1);
  return whole_values(divisors(std::max<int64_t>(replica, 1)));
}

// Four microbatches a stage keep the bubble below a quarter.
Json assumed(const SpaceFacts& facts, const Json& point) {
  const int64_t wanted           = is_pipelined(point) ? 4 * whole_or(point, "pp", 1) : 1;
  const std::vector<Json> values = legal(facts, point);
  return *std::min_element(values.begin(), values.end(), [wanted](const Json& a, const Json& b) {
    return std::abs(*a.if_int() - wanted) < std::abs(*b.if_int() - wanted);
  });
}

}  // namespace

StrategyKeyDef row() {
  return {.name       = "microbatches",
          .doc        = "into how many parts the samples of each replica are cut",
          .type       = degree_type(),
          .fallback   = 1,
          .read       = read_degree<&Strategy::microbatches>,
          .settle     = settle,
          .depends_on = {"microbatches", "microbatch_size", "global_batch", "dp"},
          .write      = write_member<&Strategy::microbatches>,
          .search     = {.searched = Searched::always, .turn = 10, .legal = legal, .assumed = assumed}};
}

}  // namespace foreflow::scenario::definitions::microbatches_key
