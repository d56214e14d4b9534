#include "ops/broadcast.h"
#include "ops/letters.h"
#include "ops/product.h"
#include "ops/work.h"

namespace foreflow::ops::definitions {

namespace {

int swap_last_two(GradBuilder& builder, int handle, size_t rank) {
  std::vector<int64_t> permutation;
  for (size_t axis = 0; axis < rank; ++axis) permutation.push_back(static_cast<int64_t>(axis));
  std::swap(permutation[rank - 2], permutation[rank - 1]);
  return builder.emit("Transpose", {{"perm", permutation}}, {handle})[0];
}

// dx = dy w', dw = x' dy, summed over the dimensions that were broadcast.
void grad_batched(GradBuilder& builder, const Type& x, const Type& w) {
  const Product product = *product_of(builder.call(), {});
  const auto batched    = [&](const Dims& matrix) {
    Dims dims = product.batch;
    for (size_t axis = matrix.size() - 2; axis < matrix.size(); ++axis) dims.push_back(matrix[axis]);
    return with_dims(x, dims);
  };
  const int dy = builder.output_gradient(0);
  if (builder.wanted(0)) {
    const int dx = builder.emit("MatMul", {}, {dy, swap_last_two(builder, builder.input(1), w.dims.size())})[0];
    builder.set_input_gradient(0, reduce_to(builder, dx, batched(x.dims), x));
  }
  if (builder.wanted(1)) {
    const int dw = builder.emit("MatMul", {}, {swap_last_two(builder, builder.input(0), x.dims.size()), dy})[0];
    builder.set_input_gradient(1, reduce_to(builder, dw, batched(w.dims), w));
  }
}

void grad_matmul(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x = tensor_operand(call, 0), w = tensor_operand(call, 1);
  if (!has_rank(x) || !has_rank(w)) call.fail("the gradient needs the ranks of both operands");
  if (x.dims.size() < 2 || w.dims.size() < 2) call.fail("has no gradient for vectors; write them as matrices with one row or column");
  if (w.dims.size() > 2 || !builder.wanted(1)) return grad_batched(builder, x, w);
  const auto gradients = builder.emit("MatMulGrad", {}, {builder.input(0), builder.input(1), builder.output_gradient(0)}, 2);
  if (builder.wanted(0)) builder.set_input_gradient(0, gradients[0]);
  builder.set_input_gradient(1, gradients[1]);
}

}  // namespace

OpDef matmul() {
  return {
      .name    = "MatMul",
      .doc     = "x[..,i,k] * w[..,k,j] -> y[..,i,j], the leading dimensions broadcast as in numpy",
      .infer   = [](const OpCall& call) { return infer_product(call, {}); },
      .factors = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const ProductLetters text = letters_of(*product_of(call, {}), {});
        return {.text = text.left + "," + text.right + "->" + text.result};
      },
      .work    = [](const OpCall& call, std::span<const Type> outputs) { return work_product(call, outputs, {}); },
      .eval    = [](const OpCall& call) -> std::vector<Array> { return {eval_product(call, {})}; },
      .grad    = grad_matmul,
      .samples = [] {
        return std::vector<Sample>{{{}, {f32({4, 6}), f32({6, 2})}},        {{}, {f32({2, 4, 2}), f32({2, 6})}},
                                   {{}, {f32({2, 2, 4, 2}), f32({2, 1, 2, 6})}}, {{}, {f32({4, 2}), f32({6, 2, 2})}},
                                   {{}, {f32({4}), f32({4, 2})}},           {{}, {f32({2, 6, 4}), f32({4})}}};
      },
  };
}

}  // namespace foreflow::ops::definitions
