// The class of kernel that runs an op, which decides what it can be fused with.
#pragma once

#include "foreflow/analyze/subject.h"

namespace foreflow::analyze {

enum class KernelClass : uint8_t {
  none,          // on the host, communication, unknown shapes, and all that fits nowhere below
  free_view,     // renames elements: no kernel
  element_wise,  // each element of the result from the same element of the operands (Add, Gelu, Where)
  row_wise,      // each row of the result from the same row (Softmax, LayerNormalization)
  reduction,     // rows to numbers (ReduceMean)
  product        // MatMul, Gemm, Conv, Einsum
};

// From the dimension factors of the op, so that no list of names has to be kept.
KernelClass kernel_class(const Subject& subject, const ir::Op& op);

}  // namespace foreflow::analyze
