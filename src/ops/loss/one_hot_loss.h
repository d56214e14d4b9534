// SoftmaxCrossEntropy of com.microsoft: the labels are probabilities of the same shape as the logits, [rows..,
// classes].
#pragma once

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops {

// The divisor of the sum over rows: their number for reduction = "mean" (the default), 1 for "sum".
inline double row_divisor(const OpCall& call, const Dims& logits) {
  const std::string reduction = call.attributes.string_or("reduction", "mean");
  if (reduction != "mean" && reduction != "sum")
    call.fail("reduction is \"" + reduction + "\"; mean or sum would be right");
  const int64_t rows = element_count(logits) / logits.back();
  return reduction == "mean" ? static_cast<double>(rows) : 1;
}

inline void check_same_shape(const OpCall& call, size_t a, size_t b) {
  const Type first = tensor_operand(call, a), second = tensor_operand(call, b);
  if (has_rank(first) && first.dims.empty()) call.fail("logits have no dimension of classes");
  if (has_dims(first) && has_dims(second) && first.dims != second.dims)
    call.fail("logits are " + to_string(first.dims) + " and labels " + to_string(second.dims) +
              "; they should have the same shape");
}

}  // namespace foreflow::ops
