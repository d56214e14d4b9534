// Mixtures of experts as ONNX Runtime fuses them (Shazeer et al., 2017): each token goes through the MLPs of the k
// experts with the best router scores. Shared by MoE and QMoE, whose operands are in another order.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

inline constexpr size_t kNoOperand = SIZE_MAX;

// The operands of one product: weight [e,out,in] (older files: [e,in,out]) and bias [e,out]. With scales, the weight is
// [e,out,bytes] of packed numbers, with one scale for each [e,out] or each block [e,out,in/block_size].
struct ProductPlaces {
  size_t weight, bias, scale = kNoOperand;
};

// Operands 0 and 1 are x[..,h] and router scores [tokens,e]. The third product, if given, is gated by the first.
struct ExpertPlaces {
  ProductPlaces first, second, third;
};

// The functions of a row.
std::vector<Type> infer_experts(const OpCall& call, const ExpertPlaces& places);
std::vector<Array> eval_experts(const OpCall& call, const ExpertPlaces& places);
Work work_of_experts(const OpCall& call, std::span<const Type> outputs, const ExpertPlaces& places);
// Tokens are independent of each other; x[b,s,h] and scores[b*s,e] are split by samples, each with its own rows.
Factors factors_of_experts(const OpCall& call);

}  // namespace foreflow::ops
