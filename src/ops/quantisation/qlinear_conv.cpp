#include "ops/common/quantised.h"
#include "ops/common/rows.h"

namespace foreflow::ops::definitions::qlinear_conv {

namespace {

// x, its scale and zero point; the same of w, perhaps one for each output channel; those of y; a bias in Int32.
enum Operand : size_t { kX, kXScale, kXZero, kW, kWScale, kWZero, kYScale, kYZero, kBias };

std::vector<Type> real_operands(const OpCall& call) {
  std::vector<Type> operands{as_real(call, kX), as_real(call, kW)};
  if (call.has(kBias)) operands.push_back(as_real(call, kBias));
  return operands;
}

std::vector<Type> infer(const OpCall& call) {
  for (const size_t operand : {kX, kXZero, kW, kWZero, kYZero}) check_quantised(call, operand);
  Type result     = infer_row("Conv", call.attributes, real_operands(call))[0];
  const Type zero = tensor_operand(call, kYZero);
  if (result.kind == Type::Kind::unknown || zero.kind == Type::Kind::unknown) return {Type{}};
  result.dtype = zero.dtype;
  return {result};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string whole = dots(tensor_operand(call, kX).dims.size() - 1);
  return {.text = factor_text(call, {"n" + whole}, {"n" + whole})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array x = centred(call, kX, kXZero, 0), w = centred(call, kW, kWZero, 0);
  const Array bias = call.has(kBias)
                         ? array_of(DType::f64, value_of(call, kBias).dims(), values_of<double>(value_of(call, kBias)))
                         : Array();
  const std::vector<const Array*> operands{&x, &w, call.has(kBias) ? &bias : nullptr};
  const Array sums   = eval_row("Conv", call.attributes, operands)[0];
  const Dims& dims   = sums.dims();
  const DType dtype  = value_of(call, kYZero).dtype();
  const auto x_scale = spread_along(call, kXScale, dims, 1), w_scale = spread_along(call, kWScale, dims, 1),
             y_scale = spread_along(call, kYScale, dims, 1), zero = spread_along(call, kYZero, dims, 1);
  const auto totals = values_of<double>(sums);
  std::vector<int64_t> y;
  for (size_t i = 0; i < totals.size(); ++i) {
    y.push_back(quantise(totals[i] * x_scale[i] * w_scale[i] / y_scale[i], static_cast<int64_t>(zero[i]), dtype));
  }
  return {array_of(dtype, dims, y)};
}

std::vector<Sample> samples() {
  const auto bytes = [](const Dims& dims) { return Type::tensor(DType::u8, dims); };
  const auto scale = [](size_t operand) { return std::pair<size_t, Array>{operand, Array::scalar(0.5F)}; };
  const std::pair<size_t, Array> per_channel{kWScale, Array::of_floats({3}, {0.5F, 1, 0.25F})};
  return {{{},
           {bytes({2, 1, 3, 3}), f32({}), bytes({}), bytes({1, 1, 2, 2}), f32({}), bytes({}), f32({}), bytes({})},
           {scale(kXScale), scale(kWScale), scale(kYScale)}},
          {{{"strides", std::vector<int64_t>{2}}},
           {bytes({2, 2, 5}), f32({}), bytes({}), bytes({3, 2, 3}), f32({3}), bytes({3}), f32({}), bytes({}),
            Type::tensor(DType::i32, {3})},
           {scale(kXScale), per_channel, scale(kYScale)}}};
}

}  // namespace

OpDef row() {
  return {
      .name = "QLinearConv",
      .doc  = "x[n,c,..], w[m,c,kernel..] in 8 bits, each with its scale and zero point, those of y, bias -> y[n,m,..]",
      .whole_because = "its windows reach across that dimension",
      .infer         = infer,
      .factors       = factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const double sums = flops_of_row("Conv", call.attributes, real_operands(call)).value();
            return computes(call, outputs, sums + 3 * count_of(outputs[0]));
          },
      .eval    = eval,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::qlinear_conv
