// Writes fused ops with the ops that they consist of.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// The module in which the entry's fused ops without a gradient rule are the ops that they consist of, which have one
// (OpDef::unfused), as FusedGemm, or Attention of ONNX Runtime without a cache:
//
//   %y = FusedGemm[activation = "Relu"](%a, %b)    ->    %v1 = Gemm(%a, %b)
//                                                        %y = Relu(%v1)
//
// Training differentiates the result; attention then becomes one op again where `fuse_attention` finds it. Calls in
// other forms stay as they are.
ir::Module unfuse(const ir::Module& module, const ir::OpTable& ops);

}  // namespace foreflow::transform
