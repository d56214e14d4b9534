// Which part of the backward pass computes gradients of weights alone, so that it may wait (Qi et al., Zero Bubble
// Pipeline Parallelism, 2023): of dy -> dx = dy w', dw = x' dy the second product.
#pragma once

#include "transform/pipeline/stages.h"

namespace foreflow::transform {

// Gives backward ops the phase weight_grad: those that make a sum over microbatches (or what the update reads) and
// nothing else, those that go on with it, and those whose results only one of the former reads (a Transpose of x). What
// a further stage, or the gradient of an activation, depends on stays backward; so does an op that makes both (the
// gradient of a normalisation).
void mark_weight_gradients(const ir::Function& function, const interpret::Values<LaidOut>& values,
                           std::vector<StagedOp>& staged);

// Writes every MatMulGrad, which makes both gradients in one op, as two products.
ir::Module separate_products(const ir::Module& module, const ir::OpTable& ops);

}  // namespace foreflow::transform
