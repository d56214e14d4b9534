// Makes a model of a fixed batch one of several such batches.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// The model for `times` as many samples, each part of which computes what `module` does: replicas and microbatches can
// then run the model as it is.
//
//   func @main(%x: Tensor[Float32, (1, 3, 8)])            func @main(%x: Tensor[Float32, (2, 3, 8)])
//   %y = Reshape[shape = [1, 24]](%x)              ->      %y = Reshape[shape = [-1, 24]](%x)
//   %z = Concat[axis = 1](%token, %y)                      %t = RepeatLike[dim = 0, like_dim = 0](%token, %y)
//                                                          %z = Concat[axis = 1](%t, %y)
//
//   1. Samples are counted along the first dimension of data that begin as the first data do.
//   2. A Reshape keeps that dimension, wherever it is in the middle of the model.
//   3. Every other op works on each part of the batch alone (its dimension factors say so), and what an op makes of all
//      samples together, such as a mean, does not meet samples again.
//   4. An operand that has no samples, but one element where other operands count them, is repeated.
//
// The module has one function, whose data are annotated with their types. Throws Error naming the first op that cannot
// go on with more samples.
ir::Module repeat_batch(const ir::Module& module, const ir::OpTable& ops, int64_t times);

}  // namespace foreflow::transform
