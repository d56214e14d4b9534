// Matrix products with numpy's batch broadcasting: the geometry and the loops that MatMul, Gemm and their relatives
// share.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// Tells for each operand whether its last two dimensions are swapped before the product.
struct ProductForm {
  bool transpose_left = false, transpose_right = false;
};

// x[batch..,m,k] * w[batch..,k,n], after transposition; a vector on the left has no m, one on the right no n.
struct Product {
  Dims left_batch, right_batch, batch;
  int64_t m = 1, k = 1, n = 1;
  bool left_vector = false, right_vector = false;

  Dims result() const;
  double flops() const;  // 0 while a dimension is unknown
};

// The product of operands 0 and 1; nothing when a rank is unknown. Fails where the shapes do not fit.
std::optional<Product> product_of(const OpCall& call, ProductForm form);

// The common type of the operands of a product. Of one in fp8 (ir::kFp8), those that are there in fp8 do not count.
std::optional<DType> product_dtype(const OpCall& call, std::span<const Type> operands);

std::vector<Type> infer_product(const OpCall& call, ProductForm form);

// The letters of both operands and the result: "bik,kj->bij".
struct ProductLetters {
  std::string left, right, result;
};
ProductLetters letters_of(const Product& product, ProductForm form);

// Matrices of experts are read if some token uses them (ir::kUnchosen); the arithmetic is that of all
// places.
Work work_product(const OpCall& call, std::span<const Type> outputs, ProductForm form);

// alpha * x * w.
Array eval_product(const OpCall& call, ProductForm form, double alpha = 1);

// One row-major matrix, to be read as it is or transposed. rows and columns are those after transposition.
struct Matrix {
  std::span<const double> values;
  int64_t rows = 0, columns = 0;
  bool transposed = false;
};

// left * right, row-major.
std::vector<double> multiply(const Matrix& left, const Matrix& right);

}  // namespace foreflow::ops
