#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/product.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::matmul_grad {

namespace {

// All but the last dimension of x are rows of one matrix.
int64_t rows_of(const Dims& x) { return element_count(x) / std::max<int64_t>(x.back(), 1); }

std::vector<Type> infer_grad(const OpCall& call) {
  const Type x = tensor_operand(call, 0), w = tensor_operand(call, 1), dy = tensor_operand(call, 2);
  const std::optional<DType> dtype = product_dtype(call, std::vector{x, w, dy});
  if (has_rank(w) && w.dims.size() != 2) call.fail("w is " + to_string(w.dims) + "; it should be a matrix");
  if (has_rank(x) && x.dims.size() < 2)
    call.fail("x is " + to_string(x.dims) + "; it should have two dimensions or more");
  if (has_dims(x) && has_dims(w) && has_dims(dy)) {
    const Product product = *product_of(call, {});
    if (product.result() != dy.dims) {
      call.fail("dy is " + to_string(dy.dims) + "; it should have the shape of the product, " +
                to_string(product.result()));
    }
  }
  Type dx = x;
  if (dtype) dx.dtype = *dtype;
  return {dx, w};
}

// dx[..,k] = dy[..,j] w[k,j]',  dw[k,j] = x[i,k]' dy[i,j] with every leading dimension in i.
std::vector<Array> eval_grad(const OpCall& call) {
  const Array &x = value_of(call, 0), &w = value_of(call, 1), &dy = value_of(call, 2);
  const int64_t rows = rows_of(x.dims()), inner = w.dims()[0], columns = w.dims()[1];
  const auto x_values = values_of<double>(x), w_values = values_of<double>(w), dy_values = values_of<double>(dy);
  const Matrix w_transposed{.values = w_values, .rows = columns, .columns = inner, .transposed = true};
  const Matrix x_transposed{.values = x_values, .rows = inner, .columns = rows, .transposed = true};
  const Matrix slopes{.values = dy_values, .rows = rows, .columns = columns};
  const auto dx = multiply(slopes, w_transposed);
  const auto dw = multiply(x_transposed, slopes);
  return {array_of(w.dtype(), x.dims(), dx), array_of(w.dtype(), w.dims(), dw)};
}

}  // namespace

OpDef row() {
  return {
      .name        = "MatMulGrad",
      .doc         = "x[..,i,k], w[k,j], dy[..,i,j] -> dx[..,i,k], dw[k,j]: the gradient of MatMul",
      .domain      = "foreflow",
      .kernels     = ir::Kernels::product,
      .gradient_of = ir::GradientOf::product,
      .infer       = infer_grad,
      .factors     = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const ProductLetters text = letters_of(*product_of(call, {}), {});
        return {.text = text.left + "," + text.right + "," + text.result + "->" + text.left + "," + text.right};
      },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const std::optional<Product> product = product_of(call, {});
            Work work                            = computes(call, outputs, product ? 2 * product->flops() : 0, 2);
            work.read += bytes_of(call.inputs[2]);  // both products read dy
            return work;
          },
      .eval = eval_grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {.attributes = {}, .inputs = {f32({4, 6}), f32({6, 2}), f32({4, 2})}, .outputs = 2},
                {.attributes = {}, .inputs = {f32({2, 4, 2}), f32({2, 6}), f32({2, 4, 6})}, .outputs = 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::matmul_grad
