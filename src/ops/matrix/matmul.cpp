#include "ops/common/broadcast.h"
#include "ops/common/letters.h"
#include "ops/common/product.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::matmul {

namespace {

int swap_last_two(GradBuilder& builder, int handle, size_t rank) {
  std::vector<int64_t> permutation;
  for (size_t axis = 0; axis < rank; ++axis) permutation.push_back(static_cast<int64_t>(axis));
  std::swap(permutation[rank - 2], permutation[rank - 1]);
  return builder.emit("Transpose", {{"perm", permutation}}, {handle})[0];
}

// An operand as a matrix: a vector is a row on the left and a column on the right.
struct Operand {
  Type type;
  int handle;
};

Operand as_matrix(GradBuilder& builder, size_t index) {
  const Type type  = tensor_operand(builder.call(), index);
  const int handle = builder.input(index);
  if (!has_rank(type)) builder.call().fail("the gradient needs the ranks of both operands");
  if (type.dims.size() > 1) return {type, handle};
  const Dims dims = index == 0 ? Dims{1, type.dims[0]} : Dims{type.dims[0], 1};
  return {with_dims(type, dims),
          builder.emit("Unsqueeze", {{"axes", std::vector{static_cast<int64_t>(index)}}}, {handle})[0]};
}

// dy with the dimensions of 1 that the product of matrices would have.
int matrix_gradient(GradBuilder& builder, const Product& product) {
  const int dy = builder.output_gradient(0);
  if (!product.left_vector && !product.right_vector) return dy;
  std::vector<int64_t> axes;
  if (product.left_vector) axes.push_back(-2);
  if (product.right_vector) axes.push_back(-1);
  return builder.emit("Unsqueeze", {{"axes", axes}}, {dy})[0];
}

// Sums over what was broadcast, and gives a vector its own shape back.
void set_matrix_gradient(GradBuilder& builder, size_t index, int gradient, const Dims& batch, const Type& matrix) {
  Dims dims = batch;
  for (size_t axis = matrix.dims.size() - 2; axis < matrix.dims.size(); ++axis) dims.push_back(matrix.dims[axis]);
  gradient = reduce_to(builder, gradient, with_dims(matrix, dims), matrix);
  if (tensor_operand(builder.call(), index).dims.size() == 1) {
    gradient = builder.emit("Squeeze", {{"axes", std::vector{static_cast<int64_t>(index)}}}, {gradient})[0];
  }
  builder.set_input_gradient(index, gradient);
}

// The gradients of one product for each expert, x[e,..,i,k] * w[e,..,k,j]. Products can read an operand as transposed,
// so weights and rows are not copied first.
void grad_of_experts(GradBuilder& builder, const Operand& x, const Operand& w, const Product& product, int dy) {
  if (builder.wanted(0)) {
    const int dx = builder.emit("FusedMatMul", {{"transB", int64_t{1}}}, {dy, w.handle})[0];
    set_matrix_gradient(builder, 0, dx, product.batch, x.type);
  }
  const int dw = builder.emit("FusedMatMul", {{"transA", int64_t{1}}}, {x.handle, dy})[0];
  set_matrix_gradient(builder, 1, dw, product.batch, w.type);
}

// dx = dy w', dw = x' dy; in one op where w is a plain matrix.
void grad_matmul(GradBuilder& builder) {
  const Operand x = as_matrix(builder, 0), w = as_matrix(builder, 1);
  const Product product = *product_of(builder.call(), {});
  const int dy          = matrix_gradient(builder, product);
  if (w.type.dims.size() == 2 && builder.wanted(1)) {
    const auto gradients = builder.emit("MatMulGrad", {}, {x.handle, w.handle, dy}, 2);
    if (builder.wanted(0)) set_matrix_gradient(builder, 0, gradients[0], product.batch, x.type);
    return set_matrix_gradient(builder, 1, gradients[1], {}, w.type);
  }
  const bool experts = x.type.dims.size() > 2 && w.type.dims.size() > 2 && builder.is_weight(1);
  if (experts && builder.wanted(1)) return grad_of_experts(builder, x, w, product, dy);
  if (builder.wanted(0)) {
    const int dx = builder.emit("MatMul", {}, {dy, swap_last_two(builder, w.handle, w.type.dims.size())})[0];
    set_matrix_gradient(builder, 0, dx, product.batch, x.type);
  }
  if (builder.wanted(1)) {
    const int dw = builder.emit("MatMul", {}, {swap_last_two(builder, x.handle, x.type.dims.size()), dy})[0];
    set_matrix_gradient(builder, 1, dw, product.batch, w.type);
  }
}

}  // namespace

OpDef row() {
  return {
      .name          = "MatMul",
      .doc           = "x[..,i,k] * w[..,k,j] -> y[..,i,j], the leading dimensions broadcast as in numpy",
      .takes_weights = true,
      .product       = ir::Product::matrices,
      .kernels       = ir::Kernels::product,
      .infer         = [](const OpCall& call) { return infer_product(call, {}); },
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const ProductLetters text = letters_of(*product_of(call, {}), {});
        return {.text = text.left + "," + text.right + "->" + text.result};
      },
      .work = [](const OpCall& call, std::span<const Type> outputs) { return work_product(call, outputs, {}); },
      .eval = [](const OpCall& call) -> std::vector<Array> { return {eval_product(call, {})}; },
      .grad = grad_matmul,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({4, 6}), f32({6, 2})}},
                                       {{}, {f32({2, 4, 2}), f32({2, 6})}},
                                       {{}, {f32({2, 2, 4, 2}), f32({2, 1, 2, 6})}},
                                       {{}, {f32({4, 2}), f32({6, 2, 2})}},
                                       {{}, {f32({4}), f32({4, 2})}},
                                       {{}, {f32({2, 6, 4}), f32({4})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::matmul
