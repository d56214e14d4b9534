#include <algorithm>

#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::cp_key {
namespace {

// Dimension 1 of the data of other models holds features, or the channels of an image, also of one whose patches become
// tokens: ranks of `cp` do not share them. What a file holds is not known.
std::optional<Refusal> check_has_sequence(const StrategySource& source, const Strategy& strategy) {
  const workload::WorkloadDef* family = source.workload.family;
  if (family == nullptr || family->traits.has_sequence) return std::nullopt;
  const std::string why = std::string(family->name) + " has no sequence to share; ";
  return strategy.stage_cp.empty() ? source.refused("cp", why + "use 1")
                                   : source.refused("stage_cp", why + "leave it out");
}

// With sequence parallelism, which splits positions as well, each of its parts is divided again.
std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  const int cp = strategy.cp;
  if (cp == 1) return std::nullopt;
  if (auto no = check_has_sequence(source, strategy)) return no;
  if (source.workload.decodes)
    return source.refused(
        "cp", "decoding has one new token of each sample, which ranks cannot share; use 1, and dp, tp or pp");
  if (!strategy.stage_cp.empty()) return std::nullopt;  // checked stage by stage
  const int64_t sequence = source.workload.size("sequence");
  const int64_t groups   = std::max<int64_t>(source.workload.size("routing_groups"), 1);
  const int64_t parts    = strategy.sequence_parallel ? strategy.tp : 1;
  if (sequence > 0) {
    if (auto no = check_divides(source, "cp", cp, sequence, "the sequence length " + std::to_string(sequence)))
      return no;
  }
  if (sequence > 0 && sequence % (cp * parts) != 0)
    return source.refused("cp", std::to_string(cp) + " times the " + std::to_string(parts) +
                                    " parts of sequence_parallel do not divide the sequence length " +
                                    std::to_string(sequence) + "; pad it to a multiple of " +
                                    std::to_string(cp * parts));
  if (is_mixture_of_experts(source.workload) && groups % (cp * parts) != 0)
    return source.refused(
        "cp",
        (parts == 1 ? std::to_string(cp) + " does"
                    : std::to_string(cp) + " times the " + std::to_string(parts) + " parts of sequence_parallel do") +
            " not divide the " + std::to_string(groups) +
            " groups that a sample is routed in; set workload.routing_groups to a multiple of " +
            (parts == 1 ? "it" : std::to_string(cp * parts)));
  return std::nullopt;
}

// The divisors of the number of devices, and small numbers, too: of unequal stages (stage_cp) the sum counts.
std::vector<Json> legal(const SpaceFacts& facts, const Json&) {
  constexpr int64_t kSmall     = 16;
  std::vector<int64_t> ways_of = divisors(facts.sequences ? facts.devices : 1);
  for (int64_t ways = 2; facts.sequences && ways <= std::min(facts.devices, kSmall); ++ways) {
    if (facts.devices % ways != 0) ways_of.push_back(ways);
  }
  std::vector<Json> values;
  for (const int64_t ways : ways_of) {
    if (facts.sequence % ways == 0 && (!facts.experts || facts.routing % ways == 0)) values.emplace_back(ways);
  }
  return values;
}

}  // namespace

StrategyKeyDef row() {
  return {.name           = "cp",
          .doc            = "ranks that share each sequence (context parallelism)",
          .type           = degree_type(),
          .fallback       = 1,
          .read           = read_degree<&Strategy::cp>,
          .settle         = settle,
          .depends_on     = {"cp", "stage_cp", "sequence_parallel", "tp"},
          .write          = write_member<&Strategy::cp>,
          .of_one_replica = true,
          .search         = {.searched = Searched::on_demand, .turn = 4, .legal = legal, .is_degree = true}};
}

}  // namespace foreflow::scenario::definitions::cp_key
