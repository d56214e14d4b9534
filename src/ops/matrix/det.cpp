#include "ops/common/kernel.h"
#include "ops/common/work.h"
#include "ops/matrix/determinant.h"

namespace foreflow::ops::definitions::det {

namespace {

std::vector<Array> eval(const OpCall& call) {
  const Array& x    = value_of(call, 0);
  const Dims batch  = batch_of_squares(call, x.dims());
  const auto n      = static_cast<size_t>(x.dims().back());
  const auto values = values_of<double>(x);
  std::vector<double> results(static_cast<size_t>(element_count(batch)));
  for (size_t i = 0; i < results.size(); ++i) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * n * n);
    results[i]       = determinant({first, first + static_cast<std::ptrdiff_t>(n * n)}, n);
  }
  return {array_of(x.dtype(), batch, results)};
}

// 2/3 n^3, by elimination.
Work work(const OpCall& call, std::span<const Type> outputs) {
  const Type& x = call.inputs[0];
  return computes(call, outputs, has_dims(x) ? count_of(x) * 2 / 3 * static_cast<double>(x.dims.back()) : 0);
}

}  // namespace

OpDef row() {
  return {
      .name          = "Det",
      .doc           = "x[..,n,n] -> y[..]: the determinant of each matrix",
      .whole_because = "it combines all elements of a matrix",
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        const Type x = tensor_operand(call, 0);
        return {has_rank(x) ? with_dims(x, batch_of_squares(call, x.dims)) : x};
      },
      .factors = [](const OpCall& call) { return square_factors(call, /*keeps_matrix=*/false); },
      .work    = work,
      .eval    = eval,
      .grad =
          [](GradBuilder& builder) {
            builder.set_input_gradient(0,
                                       builder.emit("DetGrad", {}, {builder.input(0), builder.output_gradient(0)})[0]);
          },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({3, 3})}}, {{}, {f32({2, 2, 2})}}, {{}, {f32({1, 1})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::det
