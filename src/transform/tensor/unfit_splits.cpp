#include "transform/tensor/unfit_splits.h"

#include "foreflow/base/nth.h"
#include "transform/tensor/gathered_operands.h"

namespace foreflow::transform {
namespace {

// Splits the origin in the blocks of which the op works on each, or as which it shows them. Nothing if it has none, or
// if the origin has blocks already.
std::optional<Decision> split_in_blocks(const FunctionToShard& of, const Arrival& arrival, const ir::Factors& factors,
                                        LearnedSplits& learned) {
  const bool is_view   = factors.rule == ir::Factors::Rule::linear_view;
  const int64_t blocks = factors.blocked != 0 ? factors.blocks : is_view ? parts_shown(of, arrival) : 0;
  if (blocks <= 1 || learned.has_blocks(arrival.origin)) return std::nullopt;
  std::vector<Layout> blocked = arrival.layouts;
  for (Layout& layout : blocked) layout.blocks *= layout.is_split() ? blocks : 1;
  Decision decision = decide(arrival.call, blocked, of.ways);
  if (refuses_split(blocked, decision)) return std::nullopt;
  learned.split_in_blocks(arrival.origin, blocks);
  return decision;
}

// Splits fixed weights that meet a leader split in blocks in the same number of blocks: the bias of a fused projection.
// Nothing if other operands do not fit.
std::optional<Decision> followed_in_blocks(const FunctionToShard& of, const Arrival& arrival, LearnedSplits& learned) {
  const auto leader = static_cast<size_t>(arrival.leader);
  std::vector<Layout> alone(arrival.layouts.size());
  alone[leader]     = arrival.layouts[leader];
  Decision decision = decide(arrival.call, alone, of.ways);
  if (decision.inputs[leader] != alone[leader]) return std::nullopt;
  for (size_t i = 0; i < alone.size(); ++i) {
    const Layout &is = arrival.layouts[i], &asked = decision.inputs[i];
    if (!is.is_split() || is == asked) continue;
    if (!of.is_fixed(arrival.inputs[i]) || !asked.is_split() || asked.dim != is.dim) return std::nullopt;
    learned.split_in_blocks(static_cast<int32_t>(arrival.inputs[i]), asked.blocks);
  }
  return decision;
}

}  // namespace

Decision mended(const FunctionToShard& of, Arrival& arrival, bool backward, LearnedSplits& learned, HeadCheck& heads) {
  const ir::Factors factors = arrival.call.def.factors(arrival.call);
  if (auto decision = split_in_blocks(of, arrival, factors, learned)) return *std::move(decision);
  if (auto decision = followed_in_blocks(of, arrival, learned)) return *std::move(decision);
  const bool vocabulary = of.vocabulary.tables().contains(static_cast<size_t>(arrival.origin));
  const bool is_view    = factors.rule == ir::Factors::Rule::linear_view;
  // Gradients of heads of keys and values that several shards share do not fit the heads themselves.
  if (is_view && backward) return with_whole_activations(of, arrival);
  if (is_view && !learned.is_stale() && !vocabulary) heads.refuse(of, arrival);
  if (nth(of.fixed, arrival.origin)) return with_whole_activations(of, arrival);
  if (!learned.is_stale()) {
    const auto op = static_cast<size_t>(&arrival.op - of.function.ops.data());
    learned.keep_whole(arrival.origin, {op, nth(arrival.inputs, arrival.leader)});
  }
  return with_everything_whole(of, arrival);
}

}  // namespace foreflow::transform
