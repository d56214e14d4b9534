// The loss of a program of 16 bits in Float32, as PyTorch's cross_entropy on logits.float() and under autocast, and as
// Megatron-LM's vocab_parallel_cross_entropy have it.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Converts the logits of 16 bits that losses of the entry read, and what losses and their gradients make of them back:
//
//   %loss = SoftmaxCrossEntropyLoss(%logits, %labels)             %wide = Cast[in_loss = 1](%logits)
//   %dl   = SoftmaxCrossEntropyLossGrad(%logits, %labels)   ->    %loss = SoftmaxCrossEntropyLoss(%wide, %labels)
//                                                                 %dw   = SoftmaxCrossEntropyLossGrad(%wide, %labels)
//                                                                 %dl   = Cast[in_loss = 1](%dw)
//
// So the logits are kept in Float32 for the backward pass, and so is their gradient until it is converted. The
// conversions take no time of their own: they are among the kernels of the loss.
ir::Module with_float_logits(const ir::Module& module, const ir::OpTable& ops);

}  // namespace foreflow::transform
