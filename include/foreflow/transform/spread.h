// Context and expert parallelism: ranks that share the data of each step and send each other what they need in between.
#pragma once

#include <concepts>
#include <numeric>

#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/pieces.h"

namespace foreflow::transform {

// `ways` copies of the program on groups of devices, of which each has a part of the data along
// dimension `dim` (0: samples, 1: positions of a sequence) and asks the others for what it needs besides. What an op
// must see whole is all-gathered (the keys and values of attention), its gradient reduce-scattered. With `experts`,
// weights that a product takes one by one with a batch of matrices (w[e,h,f]) are split along e, and what they work on
// is exchanged all-to-all (GShard; Lepikhin et al., 2021). Gradients of other weights are all-reduced. For ways of 2 or
// more. The dimension counts `blocks` equal blocks, of each of which every way has a part: those that sequence
// parallelism cuts it into, so that what it gathers and scatters stays where it is.
struct Spread {
  int32_t dim                = 0;
  bool experts               = false;
  int64_t blocks             = 1;
  ContextAttention attention = ContextAttention::all_gather;  // where positions are split
};
Distributed spread(const ir::Module& module, const ir::OpTable& ops, int ways, const Spread& spread);

// One after the other, innermost first: what makes context parallelism of `cp` ranks with experts over groups of `ep`
// of the cp x dp ranks. Groups take neighbours within the context first; ep / gcd(ep, cp) of the replicas are among
// these ranks and `replicate` makes the others.
struct SpreadStep {
  int ways;
  Spread spread;
};
// Positions count `blocks` blocks.
std::vector<SpreadStep> spread_steps(int cp, int ep, int64_t blocks = 1,
                                     ContextAttention attention = ContextAttention::all_gather);

// How many replicas share experts: groups of `ep` ranks take the `cp` ranks of a context first. For degrees of 1 or
// more.
template <std::integral T>
constexpr T replicas_in_group(T cp, T ep) {
  return ep / std::gcd(ep, cp);
}

}  // namespace foreflow::transform
