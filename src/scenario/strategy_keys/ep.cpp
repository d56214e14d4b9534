#include "foreflow/transform/split_data.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::ep_key {
namespace {

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  const Workload& workload = source.workload;
  if (strategy.ep == 1) return std::nullopt;
  // A file may have experts; the pass says where it has not.
  if (workload.family != nullptr && !is_mixture_of_experts(workload))
    return source.refused(
        "ep", "there are no experts in " + std::string(workload.family->name) + "; use 1, or the model moe");
  const int64_t count = workload.size("experts"), ranks = int64_t{strategy.dp} * strategy.cp;
  if (count > 0) {
    if (auto no = check_divides(source, "ep", strategy.ep, count, "the " + std::to_string(count) + " experts"))
      return no;
  }
  if (auto no = check_divides(source, "ep", strategy.ep, ranks, "the dp x cp = " + std::to_string(ranks) + " ranks"))
    return no;
  const int replicas = transform::replicas_in_group(strategy.cp, strategy.ep);
  if (auto no = check_divides(
          source, "ep", strategy.ep, int64_t{strategy.dp} * strategy.ep / replicas,
          "dp times what it shares with cp, " + std::to_string(int64_t{strategy.dp} * strategy.ep / replicas)))
    return no;
  return std::nullopt;
}

std::vector<Json> legal(const SpaceFacts& facts, const Json& point) {
  if (!facts.experts) return {};
  const int64_t replicas = whole_or(point, "dp", 1);
  std::vector<Json> values;
  for (const int64_t ways : divisors(replicas * whole_or(point, "cp", 1))) {
    const bool fits = facts.expert_count % ways == 0 && replicas % replicas_sharing(Json(point).set("ep", ways)) == 0;
    if (fits) values.emplace_back(ways);
  }
  return values;
}

}  // namespace

StrategyKeyDef row() {
  return {.name       = "ep",
          .doc        = "groups of this many of the dp x cp ranks share the experts of a mixture (expert parallelism)",
          .type       = degree_type(),
          .fallback   = 1,
          .read       = read_degree<&Strategy::ep>,
          .settle     = settle,
          .depends_on = {"ep", "dp", "cp"},
          .write      = write_member<&Strategy::ep>,
          .of_one_replica = true,
          .search         = {.searched = Searched::always, .turn = 50, .legal = legal}};
}

}  // namespace foreflow::scenario::definitions::ep_key
