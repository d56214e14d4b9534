#include "ops/common/kernel.h"
#include "ops/common/work.h"
#include "ops/matrix/determinant.h"

namespace foreflow::ops::definitions::det_grad {

namespace {

// The determinant of what is left without one row and one column, with the sign of their place.
double cofactor(std::span<const double> matrix, size_t n, size_t row, size_t column) {
  std::vector<double> minor;
  for (size_t i = 0; i < n * n; ++i) {
    if (i / n != row && i % n != column) minor.push_back(matrix[i]);
  }
  return ((row + column) % 2 == 0 ? 1 : -1) * determinant(std::move(minor), n - 1);
}

// d det / d x[i,j] is the cofactor of x[i,j] (Jacobi's formula), for singular matrices too.
std::vector<Array> eval(const OpCall& call) {
  const Array& x    = value_of(call, 0);
  const auto n      = static_cast<size_t>(x.dims().back());
  const auto values = values_of<double>(x), dy = values_of<double>(value_of(call, 1));
  std::vector<double> dx(values.size());
  for (size_t i = 0; i < dx.size(); ++i) {
    const size_t batch = i / (n * n), place = i % (n * n);
    dx[i] = dy[batch] * cofactor(std::span(values).subspan(batch * n * n, n * n), n, place / n, place % n);
  }
  return {array_of(x.dtype(), x.dims(), dx)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "DetGrad",
      .doc           = "(x[..,n,n], dy[..]) -> dx: the gradient of Det",
      .domain        = "foreflow",
      .whole_because = "it combines all elements of a matrix",
      .infer         = [](const OpCall& call) -> std::vector<Type> { return {tensor_operand(call, 0)}; },
      .factors       = [](const OpCall& call) { return square_factors(call, /*keeps_matrix=*/true); },
      // An inverse, 2 n^3, and a product with the determinant.
      .work = [](const OpCall& call, std::span<const Type> outputs) -> Work {
        const Type& x = call.inputs[0];
        return computes(call, outputs, has_dims(x) ? count_of(x) * (2 * static_cast<double>(x.dims.back()) + 1) : 0);
      },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({3, 3}), f32({})}}, {{}, {f32({2, 2, 2}), f32({2})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::det_grad
