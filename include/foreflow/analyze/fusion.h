// Which ops could run as one kernel, and what memory traffic that would save. A report: nothing is rewritten.
#pragma once

#include <string>
#include <vector>

#include "foreflow/analyze/subject.h"

namespace foreflow::analyze {

struct FusionGroup {
  std::string pattern;       // "attention core", "layer normalization", "Gemm + GELU", ...
  std::vector<int32_t> ops;  // op numbers, in order; free views (Reshape) between them are not counted
  // Values that never leave the kernel are neither written nor read, others are read once.
  Bytes saved;
};

struct Fusion {
  std::vector<FusionGroup> groups;  // in the order of their first ops; of two kernels or more
  size_t kernels = 0;               // of all ops as they are, and as they could be
  size_t fused   = 0;
  Bytes traffic;  // of all ops as they are
  Bytes saved;
};

// Greedy, in program order. An element-wise op, or one that works on rows, joins the kernel that makes an operand of
// it, where that works on as many elements and no op in between would have to wait for its own result; behind a product
// (MatMul, Gemm, Conv) only element-wise ops may follow, except that product, softmax and product are one
// (FlashAttention; Dao et al., 2022).
Fusion fusion(const Subject& subject);

// Equal groups as one row: largest saving first.
struct FusionRow {
  std::string pattern, ops;  // "ReduceMean Sub Pow ReduceMean Add Sqrt Div Mul Add"
  size_t groups = 0, kernels = 0;
  Bytes saved = Bytes(0);
};
std::vector<FusionRow> fusion_rows(const Subject& subject, const Fusion& fusion);

}  // namespace foreflow::analyze
