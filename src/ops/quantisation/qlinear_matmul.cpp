#include "ops/common/product.h"
#include "ops/common/quantised.h"
#include "ops/common/rows.h"

namespace foreflow::ops::definitions::qlinear_matmul {

namespace {

// x, its scale and zero point; the same of w; the scale and zero point of the result.
enum Operand : size_t { kX, kXScale, kXZero, kW, kWScale, kWZero, kYScale, kYZero };

std::vector<Type> real_operands(const OpCall& call) { return {as_real(call, kX), as_real(call, kW)}; }

std::vector<Type> infer(const OpCall& call) {
  for (const size_t operand : {kX, kXZero, kW, kWZero, kYZero}) check_quantised(call, operand);
  Type result     = infer_row("MatMul", {}, real_operands(call))[0];
  const Type zero = tensor_operand(call, kYZero);
  if (result.kind == Type::Kind::unknown || zero.kind == Type::Kind::unknown) return {Type{}};
  result.dtype = zero.dtype;
  return {result};
}

// A scale or zero point of its own for each column is split along with it.
std::string of_columns(const OpCall& call, size_t operand, char column) {
  return per_tensor(call, operand) ? dots_of(call, operand) : std::string(1, column);
}

// The result is rounded, so k may not be split.
Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  for (const size_t operand : {kXScale, kXZero, kYScale, kYZero}) {
    if (!per_tensor(call, operand)) return {};
  }
  for (const size_t operand : {kWScale, kWZero}) {
    const bool of_columns = tensor_operand(call, kW).dims.size() > 1 && call.inputs[operand].dims.size() == 1;
    if (!per_tensor(call, operand) && !of_columns) return {};
  }
  const std::vector<Type> operands = real_operands(call);
  const std::vector<const Array*> known(operands.size());
  ProductLetters text = letters_of(*product_of({call.def, call.attributes, operands, known}, {}), {});
  for (std::string* side : {&text.left, &text.right}) {
    for (char& letter : *side) {
      if (text.result.find(letter) == std::string::npos) letter = '.';
    }
  }
  const char column = text.right.back();
  return {.text = factor_text(call,
                              {text.left, dots_of(call, kXScale), dots_of(call, kXZero), text.right,
                               of_columns(call, kWScale, column), of_columns(call, kWZero, column)},
                              {text.result})};
}

std::vector<Array> eval(const OpCall& call) {
  const size_t rows = value_of(call, kX).dims().size(), columns = value_of(call, kW).dims().size();
  const Array x = centred(call, kX, kXZero, rows < 2 ? 0 : rows - 2), w = centred(call, kW, kWZero, columns - 1);
  const Array sums = eval_row("MatMul", {}, std::vector<const Array*>{&x, &w})[0];
  const Dims& dims = sums.dims();
  const size_t row = dims.size() < 2 ? 0 : dims.size() - 2, column = dims.empty() ? 0 : dims.size() - 1;
  const auto x_scale = spread_along(call, kXScale, dims, row), w_scale = spread_along(call, kWScale, dims, column),
             y_scale = spread_along(call, kYScale, dims, row), zero = spread_along(call, kYZero, dims, row);
  const auto totals = values_of<double>(sums);
  const DType dtype = value_of(call, kYZero).dtype();
  std::vector<int64_t> y;
  for (size_t i = 0; i < totals.size(); ++i) {
    y.push_back(quantise(totals[i] * x_scale[i] * w_scale[i] / y_scale[i], static_cast<int64_t>(zero[i]), dtype));
  }
  return {array_of(dtype, dims, y)};
}

std::vector<Sample> samples() {
  const auto bytes = [](const Dims& dims) { return Type::tensor(DType::u8, dims); };
  const auto scale = [](size_t operand) { return std::pair<size_t, Array>{operand, Array::scalar(0.5F)}; };
  const auto with  = [&](const Dims& x, const Dims& w) -> Sample {
    return {{},
            {bytes(x), f32({}), bytes({}), bytes(w), f32({}), bytes({}), f32({}), bytes({})},
            {scale(kXScale), scale(kWScale), scale(kYScale)}};
  };
  Sample columns    = with({4, 2}, {2, 6});
  columns.inputs[4] = f32({6});
  columns.inputs[5] = bytes({6});
  columns.values[1] = {kWScale, Array::of_floats({6}, {0.5F, 1, 2, 0.25F, 0.5F, 1})};
  return {with({4, 2}, {2, 6}), with({2, 4, 2}, {2, 2, 6}), columns};
}

}  // namespace

OpDef row() {
  return {
      .name = "QLinearMatMul",
      .doc  = "x[..,i,k], w[..,k,j] in 8 bits, each with its scale and zero point, and those of y -> y[..,i,j]",
      .whole_because = "it multiplies all elements of that dimension with a weight",
      .infer         = infer,
      .factors       = factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const double product = flops_of_row("MatMul", {}, real_operands(call)).value();
            return computes(call, outputs, product + 3 * count_of(outputs[0]));
          },
      .eval    = eval,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::qlinear_matmul
