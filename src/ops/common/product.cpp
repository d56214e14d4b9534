#include "ops/common/product.h"

#include <algorithm>

#include "foreflow/ir/fp8.h"
#include "foreflow/ir/unchosen.h"
#include "ops/common/broadcast.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops {

namespace {

Dims without_last_two(const Dims& dims) {
  return Dims(std::span<const int64_t>(dims.begin(), dims.size() < 2 ? 0 : dims.size() - 2));
}

// A batch dimension that is broadcast stays whole.
std::string batch_letters(const Dims& operand, const Dims& batch) {
  const size_t offset = batch.size() - operand.size();
  std::string text;
  for (size_t i = 0; i < operand.size(); ++i) {
    text += operand[i] == 1 && batch[i + offset] != 1 ? '.' : static_cast<char>('b' + static_cast<char>(i + offset));
  }
  return text;
}

// A share outside of 0 to 1 would make the bytes that are read negative.
void check_unchosen(const OpCall& call) {
  if (call.attributes.find(ir::kUnchosen) == nullptr) return;
  const double share = call.attributes.float_or(ir::kUnchosen, 1);
  if (!(share >= 0 && share <= 1))
    call.fail("has unchosen = " + ir::to_string(ir::Attribute(share)) + "; 0 to 1 would be right");
}

}  // namespace

Dims Product::result() const {
  Dims dims = batch;
  if (!left_vector) dims.push_back(m);
  if (!right_vector) dims.push_back(n);
  return dims;
}

double Product::flops() const {
  double flops = 2;
  for (const int64_t dim : batch) flops *= static_cast<double>(std::max<int64_t>(dim, 0));
  for (const int64_t dim : {m, k, n}) flops *= static_cast<double>(std::max<int64_t>(dim, 0));
  return flops;
}

std::optional<Product> product_of(const OpCall& call, ProductForm form) {
  const Type left = tensor_operand(call, 0), right = tensor_operand(call, 1);
  if (!has_rank(left) || !has_rank(right)) return std::nullopt;
  const Dims &x = left.dims, &w = right.dims;
  if (x.empty() || w.empty()) call.fail("multiplies matrices; a scalar operand belongs to Mul");
  Product product{.left_batch = without_last_two(x), .right_batch = without_last_two(w), .batch = {}};
  product.left_vector  = x.size() == 1;
  product.right_vector = w.size() == 1;
  // A vector is a row on the left and a column on the right.
  const int64_t x_rows    = product.left_vector ? 1 : x[x.size() - 2],
                w_rows    = product.right_vector ? w[0] : w[w.size() - 2];
  const int64_t x_columns = x.back(), w_columns = product.right_vector ? 1 : w.back();
  product.m       = form.transpose_left ? x_columns : x_rows;
  product.n       = form.transpose_right ? w_rows : w_columns;
  const int64_t k = form.transpose_left ? x_rows : x_columns, right_k = form.transpose_right ? w_columns : w_rows;
  if (k != right_k && k != Dims::kUnknown && right_k != Dims::kUnknown) {
    call.fail("cannot multiply " + to_string(x) + " by " + to_string(w) + "; the inner dimensions " +
              std::to_string(k) + " and " + std::to_string(right_k) + " should be equal");
  }
  product.k     = std::max(k, right_k);
  product.batch = broadcast(call, product.left_batch, product.right_batch);
  return product;
}

std::optional<DType> product_dtype(const OpCall& call, std::span<const Type> operands) {
  if (call.attributes.find(ir::kFp8) == nullptr) return common_dtype(call, operands);
  std::vector<Type> wide;
  for (const Type& operand : operands) {
    if (operand.dtype != DType::f8 || !operand.is_tensor()) wide.push_back(operand);
  }
  return wide.empty() ? common_dtype(call, operands) : common_dtype(call, wide);
}

std::vector<Type> infer_product(const OpCall& call, ProductForm form) {
  check_unchosen(call);
  const std::optional<Product> product = product_of(call, form);
  const std::optional<DType> dtype     = product_dtype(call, call.inputs.subspan(0, 2));
  if (!dtype) return {Type{}};
  return {product ? Type::tensor(*dtype, product->result()) : Type::unranked(*dtype)};
}

ProductLetters letters_of(const Product& product, ProductForm form) {
  const std::string batch = batch_letters(product.batch, product.batch);
  const std::string i = product.left_vector ? "" : "i", j = product.right_vector ? "" : "j";
  return {batch_letters(product.left_batch, product.batch) + (form.transpose_left ? "k" + i : i + "k"),
          batch_letters(product.right_batch, product.batch) + (form.transpose_right ? j + "k" : "k" + j),
          batch + i + j};
}

Work work_product(const OpCall& call, std::span<const Type> outputs, ProductForm form) {
  const std::optional<Product> product = product_of(call, form);
  Work work                            = computes(call, outputs, product ? product->flops() : 0);
  if (const double used = ir::used_share(call); used < 1) work.read -= (1 - used) * bytes_of(call.inputs[1]);
  return work;
}

Array eval_product(const OpCall& call, ProductForm form, double alpha) {
  const Array &x = value_of(call, 0), &w = value_of(call, 1);
  const Product product          = *product_of(call, form);
  const std::vector<double> left = values_of<double>(x), right = values_of<double>(w);
  const auto matrix = [](std::span<const double> values, int64_t index, int64_t rows, int64_t columns,
                         bool transposed) {
    const auto size = static_cast<size_t>(rows * columns);
    return Matrix{values.subspan(static_cast<size_t>(index) * size, size), rows, columns, transposed};
  };
  const Offsets left_at  = broadcast_offsets(product.left_batch, product.batch);
  const Offsets right_at = broadcast_offsets(product.right_batch, product.batch);
  std::vector<double> result;
  for (size_t i = 0; i < left_at.size(); ++i) {
    const auto block = multiply(matrix(left, left_at[i], product.m, product.k, form.transpose_left),
                                matrix(right, right_at[i], product.k, product.n, form.transpose_right));
    result.insert(result.end(), block.begin(), block.end());
  }
  for (double& value : result) value *= alpha;
  const bool in_fp8 = call.attributes.find(ir::kFp8) != nullptr && x.dtype() == DType::f8;
  return array_of(in_fp8 ? w.dtype() : x.dtype(), product.result(), result);
}

}  // namespace foreflow::ops
