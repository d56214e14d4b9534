// Reports which ops could run as a single kernel and how much memory traffic that would save. Does not rewrite the
// program.
#pragma once

#include <string>
#include <vector>

#include "foreflow/analyze/subject.h"

namespace foreflow::analyze {

struct FusionGroup {
  std::string pattern;       // "attention core", "layer normalization", "Gemm + GELU", ...
  std::vector<int32_t> ops;  // op numbers, ascending; without views (Reshape) between them, which cost nothing
  // Traffic saved: values that stay inside the kernel are neither written nor read, others are read only once.
  Bytes saved;
};

struct Fusion {
  std::vector<FusionGroup> groups;  // groups of at least two kernels, in the order of their first ops
  size_t kernels = 0;               // number of kernels without and with fusion
  size_t fused   = 0;
  Bytes traffic;  // of all ops, without fusion
  Bytes saved;
};

// Forms groups greedily, in program order. An element-wise op, or an op over rows such as Softmax, joins the kernel
// that produces one of its operands when
//   1. that kernel works on the same number of elements;
// 2. no operand of the op that comes from outside the group depends on a result of the group;
//   3. the kernel does not begin with a product (MatMul, Gemm, Conv), or the op is element-wise.
// Exception to 3: product, softmax and product form one kernel (FlashAttention; Dao et al., 2022).
//
// Example: MatMul, Add, Gelu become one kernel; MatMul, Add, LayerNormalization become two.
Fusion fusion(const Subject& subject);

// One row for all groups with the same ops.
struct FusionRow {
  std::string pattern, ops;  // "ReduceMean Sub Pow ReduceMean Add Sqrt Div Mul Add"
  size_t groups = 0, kernels = 0;
  Bytes saved = Bytes(0);
};
std::vector<FusionRow> fusion_rows(const Subject& subject, const Fusion& fusion);

}  // namespace foreflow::analyze
