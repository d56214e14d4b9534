// Tells the sums of gradients of weights from those of activations, in a program whose data are split.
#pragma once

#include <functional>
#include <vector>

#include "foreflow/ir/module.h"
#include "foreflow/transform/layout.h"

namespace foreflow::transform {

// Per value of `function`: whether it only leads to optimizers, through values that no way has a part of. Such a value
// belongs to a gradient of a weight; the gradient of gathered keys leads to split ones.
//
//   %dw = MatMul(%x', %dy)       partial: true         %dk = AttentionGrad(..)    partial, but summed into parts: false
//   %w_1 = Optimizer(%w, %dw)                          %dx = MatMul(%dk, %w')
//
// `layout_of`: in which layout a value is made. A Reshard may bring parts.
std::vector<bool> leads_to_optimizers(const ir::Function& function,
                                      const std::function<const Layout&(size_t value)>& layout_of);

}  // namespace foreflow::transform
