// Which products of a model run in fp8: those with the matrices of its layers, as Transformer Engine's Linear does.
// Attention, embeddings and the products with the vocabulary keep the type of the program.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// `vocabulary`: the number of words; 0: none. Weights are parameters of the functions that multiply with them.
// `updates`: kernels that update the scales of a module in each pass (ir::kFp8Updates). A product whose operand follows
// from another one's result by element-wise ops alone is of the same module, as the second one of an MLP is
// (LayerNormMLP).
ir::Module with_fp8_products(ir::Module module, int64_t vocabulary, int updates = 0);

}  // namespace foreflow::transform
