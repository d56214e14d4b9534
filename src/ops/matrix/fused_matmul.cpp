#include "ops/common/broadcast.h"
#include "ops/common/letters.h"
#include "ops/common/product.h"

namespace foreflow::ops::definitions::fused_matmul {

namespace {

ProductForm form_of(const OpCall& call) {
  if (call.attributes.int_or("transBatchA", 0) != 0 || call.attributes.int_or("transBatchB", 0) != 0) {
    call.fail("transposes batch dimensions; put a Transpose before it");
  }
  return {call.attributes.int_or("transA", 0) != 0, call.attributes.int_or("transB", 0) != 0};
}

// With A' and B' the operands after transposition: dA' = alpha dy B'^T and dB' = alpha A'^T dy. An operand that was
// transposed takes the transpose of that.
void grad(GradBuilder& builder) {
  const OpCall& call     = builder.call();
  const ProductForm form = form_of(call);
  const auto product     = product_of(call, form);
  const Type x = tensor_operand(call, 0), w = tensor_operand(call, 1);
  if (!product || product->left_vector || product->right_vector) {
    call.fail("the gradient needs two operands of rank 2 or more");
  }
  const auto multiplied = [&](int left, int right, ProductForm transposed) {
    const Attributes attributes{{"transA", int64_t{transposed.transpose_left}},
                                {"transB", int64_t{transposed.transpose_right}},
                                {"alpha", call.attributes.float_or("alpha", 1)}};
    return builder.emit("FusedMatMul", attributes, {left, right})[0];
  };
  const auto set = [&](size_t index, int gradient, const Type& operand) {
    Dims dims = product->batch;
    for (size_t axis = operand.dims.size() - 2; axis < operand.dims.size(); ++axis) dims.push_back(operand.dims[axis]);
    builder.set_input_gradient(index, reduce_to(builder, gradient, with_dims(operand, dims), operand));
  };
  const int a = builder.input(0), b = builder.input(1), dy = builder.output_gradient(0);
  if (builder.wanted(0)) {
    set(0,
        form.transpose_left ? multiplied(b, dy, {form.transpose_right, true})
                            : multiplied(dy, b, {false, !form.transpose_right}),
        x);
  }
  if (builder.wanted(1)) {
    set(1,
        form.transpose_right ? multiplied(dy, a, {true, form.transpose_left})
                             : multiplied(a, dy, {!form.transpose_left, false}),
        w);
  }
}

}  // namespace

OpDef row() {
  return {
      .name          = "FusedMatMul",
      .doc           = "alpha * x[..,i,k] * w[..,k,j] -> y[..,i,j]; transA, transB: x[..,k,i], w[..,j,k]",
      .domain        = "com.microsoft",
      .takes_weights = true,
      .product       = ir::Product::turned,
      .kernels       = ir::Kernels::product,
      .infer         = [](const OpCall& call) { return infer_product(call, form_of(call)); },
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const ProductLetters text = letters_of(*product_of(call, form_of(call)), form_of(call));
        return {.text = text.left + "," + text.right + "->" + text.result};
      },
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return work_product(call, outputs, form_of(call)); },
      .eval = [](const OpCall& call) -> std::vector<Array> {
        return {eval_product(call, form_of(call), call.attributes.float_or("alpha", 1))};
      },
      .grad = grad,
      .samples =
          [] {
            return std::vector<Sample>{{{{"transB", 1}, {"alpha", 0.125}}, {f32({2, 4, 6}), f32({2, 2, 6})}},
                                       {{{"transA", 1}}, {f32({2, 6, 4}), f32({6, 2})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::fused_matmul
