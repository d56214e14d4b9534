#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::pow {

namespace {

// The exponent may have a dtype of its own; the result has the base's.
std::vector<Type> infer(const OpCall& call) {
  check_two_operands(call);
  const Type base = tensor_operand(call, 0), exponent = tensor_operand(call, 1);
  if (base.kind == Type::Kind::unknown) return {Type{}};
  const std::optional<Dims> dims = broadcast(call, std::vector<Type>{base, exponent});
  return {dims ? with_dims(base, *dims) : without_dims(base)};
}

template <class T>
T integer_power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  }
  T power = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) power = wrapping(std::multiplies{}, power, base);
    base = wrapping(std::multiplies{}, base, base);
  }
  return power;
}

constexpr auto kPower = [](auto x, auto y) {
  if constexpr (std::is_integral_v<decltype(x)>) {
    return integer_power(x, y);
  } else {
    return std::pow(x, y);
  }
};

std::vector<Array> eval(const OpCall& call) {
  const Array &base = value_of(call, 0), &exponent = value_of(call, 1);
  const bool integers = !ir::is_float(base.dtype()) && !ir::is_float(exponent.dtype());
  const Array wide    = integers ? base : array_of(DType::f64, base.dims(), values_of<double>(base));
  return {map_pairs(call, wide, exponent, base.dtype(), kPower)};
}

// The exponent in the base's dtype.
int exponent(GradBuilder& builder) {
  const DType base = tensor_operand(builder.call(), 0).dtype;
  if (tensor_operand(builder.call(), 1).dtype == base) return builder.input(1);
  return builder.emit("Cast", {{"to", std::string(ir::name(base))}}, {builder.input(1)})[0];
}

// z = x^y: dx = dz y x^(y - 1), dy = dz z log x
void grad(GradBuilder& builder) {
  const int x = builder.input(0), dz = builder.output_gradient(0);
  if (builder.wanted(0)) {
    const int y     = exponent(builder);
    const int less  = emit_op(builder, "Sub", {y, emit_number(builder, 1)});
    const int slope = emit_op(builder, "Mul", {y, emit_op(builder, "Pow", {x, less})});
    set_broadcast_gradient(builder, 0, emit_op(builder, "Mul", {dz, slope}));
  }
  if (builder.wanted(1)) {
    const int slope = emit_op(builder, "Mul", {builder.output(0), emit_op(builder, "Log", {x})});
    set_broadcast_gradient(builder, 1, emit_op(builder, "Mul", {dz, slope}));
  }
}

std::vector<Sample> samples() {
  const Array base = Array::of_floats({2, 2}, {0.5F, 1, 1.5F, 3});
  return {{{}, {f32({2, 2}), f32({})}, {{0, base}, {1, Array::scalar(2.0F)}}},
          {{}, {f32({2, 2}), f32({2})}, {{0, base}, {1, Array::of_floats({2}, {-0.5F, 3})}}},
          {{}, {f32({2, 2}), i64({})}, {{1, Array::scalar(int64_t{3})}}}};
}

}  // namespace

OpDef row() {
  return {
      .name    = "Pow",
      .doc     = "x to the power y",
      .infer   = infer,
      .factors = broadcast_factors,
      .work    = elementwise_work<kTranscendental>,
      .eval    = eval,
      .grad    = grad,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::pow
