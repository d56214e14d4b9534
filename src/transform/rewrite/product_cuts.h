// Products that `overlap_tensor` can compute in chunks.
#pragma once

#include <string_view>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// A product can be cut along dimension `input` of its first operand (of a MatMulGrad: also of its third), which is
// dimension `output` of its first result, if that many chunks divide it.
struct ProductCut {
  size_t input, output;
  bool operator==(const ProductCut&) const = default;
};

// Every dimension along which a call can be cut, whatever its length; the first that the chunks divide is taken. Empty
// where the call is no product.
std::vector<ProductCut> product_cuts(const ir::OpCall& call);

// Returns true if the op computes the gradients of x and of w of x[.., s, h] w[h, f], from x, w and dy.
bool is_product_gradient(const ir::Op& product);

// The ops that compute the gradient of x from dy and w, and that of w from the rows of x and of dy, in place of a
// MatMulGrad; and their attributes. dy is converted to fp8 once, for both.
constexpr std::string_view kRowsGradient = "FusedMatMul", kWeightGradient = "Gemm";
ir::Attributes attributes_of_rows_gradient(const ir::Op& product);
ir::Attributes attributes_of_weight_gradient(const ir::Op& product);

// Returns true if the op is a kWeightGradient, dw[k, j] = x[i, k]' dy[i, j].
bool is_gradient_of_weight(const ir::Op& op);

// The operand of a product whose rows are those of its first result.
size_t rows_operand(const ir::Op& product);

// Returns true if a dimension of this length can be cut into `chunks` chunks.
inline bool can_be_cut(int64_t length, int chunks) { return length >= chunks && length % chunks == 0; }

// The dimension of its operands along which a sum (MPIAllreduce, MPIReduceScatter) parts them; -1: it does not.
int64_t parted_dimension(const ir::OpDef& sum, const ir::Attributes& attributes, size_t rank);

}  // namespace foreflow::transform
