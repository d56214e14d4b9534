#include "ops/common/axes.h"
#include "ops/common/quantised.h"

namespace foreflow::ops::definitions::quantize_linear {

namespace {

constexpr size_t kScale = 1, kZero = 2;

size_t axis_of(const OpCall& call, size_t rank) {
  // One number for the whole tensor has no axis to lie along.
  return per_tensor(call, kScale) ? 0 : axis_attribute(call, rank, 1);
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  check_quantised(call, kZero);
  DType dtype = DType::u8;
  if (call.has(kZero)) {
    const Type zero = tensor_operand(call, kZero);
    if (zero.kind == Type::Kind::unknown) return {Type{}};
    dtype = zero.dtype;
  }
  return {has_rank(x) ? Type::tensor(dtype, x.dims) : Type::unranked(dtype)};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  std::string text = letters(tensor_operand(call, 0).dims.size());
  if (!per_tensor(call, kScale)) text[axis_of(call, text.size())] = '.';
  return {.text = factor_text(call, {text}, {text})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x    = value_of(call, 0);
  const DType dtype = call.has(kZero) ? value_of(call, kZero).dtype() : DType::u8;
  const size_t axis = axis_of(call, x.dims().size());
  const auto xs = values_of<double>(x), scales = spread_along(call, kScale, x.dims(), axis),
             zeros = spread_along(call, kZero, x.dims(), axis);
  std::vector<int64_t> y;
  for (size_t i = 0; i < xs.size(); ++i) {
    // In Float32, as the quotient decides which way a half is rounded.
    const float ratio = static_cast<float>(xs[i]) / static_cast<float>(scales[i]);
    y.push_back(quantise(ratio, static_cast<int64_t>(zeros[i]), dtype));
  }
  return {array_of(dtype, x.dims(), y)};
}

std::vector<Sample> samples() {
  const Type bytes = Type::tensor(DType::i8, {4});
  return {{{}, {f32({2, 4}), f32({})}, {{1, Array::scalar(0.02F)}}},
          {{{"axis", -1}}, {f32({2, 4}), f32({4}), bytes}, {{1, Array::of_floats({4}, {0.1F, 0.02F, 0.5F, 0.25F})}}}};
}

}  // namespace

OpDef row() {
  return {
      .name    = "QuantizeLinear",
      .doc     = "x, scale, zero_point -> round(x / scale) + zero_point in 8 bits, per tensor or per index of `axis`",
      .infer   = infer,
      .factors = factors,
      .work    = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 3 * count_of(outputs[0])); },
      .eval    = eval,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::quantize_linear
