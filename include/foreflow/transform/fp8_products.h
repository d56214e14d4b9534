// Which products of a model run in fp8: those with the matrices of its layers and of its experts, as Transformer
// Engine's Linear and GroupedLinear run them. Attention, embeddings, the products with the vocabulary and the router,
// which is no module of Transformer Engine (Megatron-LM's TopKRouter), keep the type of the program.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::transform {

struct Fp8Products {
  int64_t vocabulary = 0;  // the number of words; 0: none
  int64_t experts    = 0;  // their number; 0: none
  // Kernels that update the scales of a module in each pass (ir::kFp8Updates). Products of one activation are one
  // module, since Transformer Engine has one matrix for them; so is a product whose operand follows from another one's
  // result by element-wise ops alone, as the second one of an MLP is (LayerNormMLP).
  int updates    = 0;
  bool inference = false;  // marks products so (ir::kFp8Inference)
};

// Marks these products. Weights are parameters of the functions that multiply with them: matrices, and the stacked
// matrices of experts, w[e,h,f].
ir::Module with_fp8_products(ir::Module module, const Fp8Products& which);

}  // namespace foreflow::transform
