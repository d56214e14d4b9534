// Context and expert parallelism: splits the data of each step over ranks, which exchange what they need of each other.
#pragma once

#include <concepts>
#include <numeric>
#include <optional>
#include <string_view>

#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/pieces.h"

namespace foreflow::transform {

// On a Cast: it converts the gradient of a weight for the sum over ranks, or back. So it runs once, after all
// microbatches, and a sum over more ranks may be taken before it converts back.
inline constexpr std::string_view kOfSum = "of_sum";

// On an MPIAllreduce: it sums the gradient of a weight over ranks that hold equal copies of it. Replicas, which hold
// further copies, may take one sum over all of them in its place.
inline constexpr std::string_view kOfCopies = "of_copies";

struct DataSplit {
  // The dimension along which the data are split: 0 for samples, 1 for the positions of a sequence.
  int32_t dim = 0;
  // Expert parallelism: the weights of experts, w[e,h,f] in a product of batches of matrices, are split along e, and
  // their operands and results are exchanged by all-to-alls (GShard; Lepikhin et al., 2021).
  bool experts = false;
  // The dimension consists of `blocks` equal blocks, and every way has a part of each. These are the blocks into which
  // sequence parallelism cuts the positions, so its gathers and scatters stay within a way.
  int64_t blocks = 1;
  // How attention sees the positions of other ranks, where positions are split.
  ContextAttention attention = ContextAttention::all_gather;
  // The type in which gradients of weights are summed over the ways, as in transform::DataParallel. Nothing: that of
  // each gradient.
  std::optional<ir::DType> reduce_dtype = std::nullopt;
};

// Copies the program onto `ways` (2 or more) groups of devices and gives each group a part of the data.
//
// 1. An operand that an op needs whole is all-gathered, and its gradient reduce-scattered: the keys and values
//    of attention, for example, unless split.attention says otherwise.
// 2. With `experts`, every group holds a part of the experts.
// 3. The gradients of all other weights are all-reduced, in the type split.reduce_dtype.
//
// Throws RefusalError if the data cannot be split into that many parts, or if there are no experts to split.
Distributed split_data(const ir::Module& module, const ir::OpTable& ops, int ways, const DataSplit& split);

// The first two of `ways` groups of devices. All but the first differ only in the part of the data and the experts that
// they have, so the second one represents them all (ir/written_devices.h). Nothing if they differ in more than that, as
// where positions are split, which causal attention tells apart. Requires: ways > 2.
std::optional<Distributed> two_ranks(const ir::Module& module, const ir::OpTable& ops, int ways,
                                     const DataSplit& split);

// One application of split_data.
struct DataSplitStep {
  int ways;
  DataSplit split;
};

// The steps, innermost first, that give context parallelism of `cp` ranks and expert parallelism over groups of `ep` of
// the cp x dp ranks. A group takes the ranks of one context first. If `ep` exceeds them, the steps also make the
// replicas_in_group(cp, ep) replicas that share experts; `replicate` makes the others.
std::vector<DataSplitStep> data_split_steps(int cp, int ep, int64_t blocks = 1,
                                            ContextAttention attention            = ContextAttention::all_gather,
                                            std::optional<ir::DType> reduce_dtype = std::nullopt);

// All steps that there can be, also those of one way, which split nothing.
std::vector<DataSplitStep> possible_split_steps(int cp, int ep, int64_t blocks = 1,
                                                ContextAttention attention            = ContextAttention::all_gather,
                                                std::optional<ir::DType> reduce_dtype = std::nullopt);

// The number of replicas that share experts, for degrees of 1 or more: 1 where a group of `ep` ranks lies within the
// `cp` ranks of a context. For example, cp = 2 and ep = 8 make 4 replicas share experts.
template <std::integral T>
constexpr T replicas_in_group(T cp, T ep) {
  return ep / std::gcd(ep, cp);
}

}  // namespace foreflow::transform
