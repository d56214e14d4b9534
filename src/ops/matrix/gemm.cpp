
#include "foreflow/base/nth.h"
#include "ops/common/broadcast.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/product.h"
#include "ops/common/table_rows.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::gemm {

namespace {

ProductForm form_of(const OpCall& call) {
  return {call.attributes.int_or("transA", 0) != 0, call.attributes.int_or("transB", 0) != 0};
}

void check_matrices(const OpCall& call) {
  for (size_t i = 0; i < 2; ++i) {
    const Type operand = tensor_operand(call, i);
    if (has_rank(operand) && operand.dims.size() != 2) {
      call.fail("operand " + std::to_string(i) + " is " + to_string(operand.dims) + "; it should be a matrix");
    }
  }
}

std::vector<Type> infer_gemm(const OpCall& call) {
  check_matrices(call);
  const std::vector<Type> types = infer_product(call, form_of(call));
  if (!call.has(2)) return types;
  const Type c = tensor_operand(call, 2);
  common_dtype(call, std::vector{types[0], c});
  if (has_dims(c) && has_dims(types[0]) && broadcast(call, c.dims, types[0].dims) != types[0].dims) {
    call.fail("C is " + to_string(c.dims) + "; it should broadcast to the product's shape " + to_string(types[0].dims));
  }
  return types;
}

// "j" of "ij" for a bias; a dimension of 1 that is broadcast stays whole.
std::string letters_of_c(const Dims& c, const Dims& product) {
  std::string text;
  for (size_t i = 0; i < c.size(); ++i) {
    const size_t axis = i + product.size() - c.size();
    text += c[i] == product[axis] ? "ij"[axis] : '.';
  }
  return text;
}

Factors factors_of_gemm(const OpCall& call) {
  if (!splittable(call)) return {};
  const ProductForm form    = form_of(call);
  const Product product     = *product_of(call, form);
  const ProductLetters text = letters_of(product, form);
  if (!call.has(2)) return {.text = factor_text(call, {text.left, text.right}, {text.result})};
  // '+': where k is split, C is added to one of the partial sums only.
  const std::string c = "+" + letters_of_c(tensor_operand(call, 2).dims, product.result());
  return {.text = factor_text(call, {text.left, text.right, c}, {text.result})};
}

std::vector<Array> eval_gemm(const OpCall& call) {
  const double alpha = call.attributes.float_or("alpha", 1);
  if (!call.has(2)) return {eval_product(call, form_of(call), alpha)};
  const Wide wide(call);
  const Array product = eval_product(wide.call(), form_of(call), alpha);
  const Array& c      = value_of(call, 2);
  const double beta   = call.attributes.float_or("beta", 1);
  auto sum            = values_of<double>(product);
  const auto addend   = values_of<double>(c);
  const auto at       = broadcast_offsets(c.dims(), product.dims());
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += beta * nth(addend, at[i]);
  return {array_of(value_of(call, 0).dtype(), product.dims(), sum)};
}

// With A' and B' the operands after transposition: dA' = dy B'^T and dB' = A'^T dy. An operand that was transposed
// takes the transpose of that.
void grad_gemm(GradBuilder& builder) {
  const OpCall& call     = builder.call();
  const ProductForm form = form_of(call);
  const double alpha     = call.attributes.float_or("alpha", 1);
  const int dy           = builder.output_gradient(0);
  const auto gemm        = [&](int left, int right, ProductForm transposed) {
    Attributes attributes;
    if (transposed.transpose_left) attributes.set("transA", int64_t{1});
    if (transposed.transpose_right) attributes.set("transB", int64_t{1});
    if (alpha != 1) attributes.set("alpha", alpha);
    return builder.emit("Gemm", attributes, {left, right})[0];
  };
  if (builder.wanted(0)) {
    const int b  = builder.input(1);
    const int da = form.transpose_left
                       ? gemm(b, dy, {.transpose_left = form.transpose_right, .transpose_right = true})
                       : gemm(dy, b, {.transpose_left = false, .transpose_right = !form.transpose_right});
    builder.set_input_gradient(0, da);
  }
  if (builder.wanted(1)) {
    const int a  = builder.input(0);
    const int db = form.transpose_right
                       ? gemm(dy, a, {.transpose_left = true, .transpose_right = form.transpose_left})
                       : gemm(a, dy, {.transpose_left = !form.transpose_left, .transpose_right = false});
    builder.set_input_gradient(1, db);
  }
  if (!call.has(2) || !builder.wanted(2)) return;
  const int dc      = reduce_to(builder, dy, infer_gemm(call)[0], tensor_operand(call, 2));
  const double beta = call.attributes.float_or("beta", 1);
  builder.set_input_gradient(2, beta == 1 ? dc : builder.emit("Mul", {}, {dc, emit_number(builder, beta)})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name          = "Gemm",
      .doc           = "alpha * a[i,k] * b[k,j] + beta * c -> y[i,j]; transA, transB: a[k,i], b[j,k]; c broadcasts",
      .takes_weights = true,
      .kernels       = ir::Kernels::product,
      .infer         = infer_gemm,
      .factors       = factors_of_gemm,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            Work work = work_product(call, outputs, form_of(call));
            if (call.has(2)) work.flops += Flops(count_of(outputs[0]));
            return work;
          },
      .eval = eval_gemm,
      .grad = grad_gemm,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({4, 6}), f32({6, 2})}},
                                       {{}, {f32({4, 6}), f32({6, 2}), f32({2})}},
                                       {{{"transA", 1}, {"alpha", 0.5}}, {f32({6, 4}), f32({6, 2}), f32({4, 1})}},
                                       {{{"transB", 1}, {"beta", 2.0}}, {f32({4, 6}), f32({2, 6}), f32({})}},
                                       {{{"transA", 1}, {"transB", 1}}, {f32({6, 4}), f32({2, 6}), f32({4, 2})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::gemm
