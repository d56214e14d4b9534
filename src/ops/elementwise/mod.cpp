#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::mod {

namespace {

// The sign is that of the divisor; with fmod = 1 that of the dividend, as in C.
template <class T>
T remainder(T x, T y, bool like_c) {
  if (y == 0) throw ir::OpError("Mod", "an integer is divided by 0");
  const T rest = std::is_signed_v<T> && y == static_cast<T>(-1) ? 0 : x % y;
  return !like_c && std::is_signed_v<T> && rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x    = value_of(call, 0);
  const bool like_c = call.attributes.int_or("fmod", 0) != 0;
  if (ir::is_float(x.dtype()) && !like_c) call.fail("floats need fmod = 1");
  return {map_pairs(call, x, value_of(call, 1), x.dtype(), [=](auto a, auto b) {
    if constexpr (std::is_same_v<decltype(a), double>) {
      return std::fmod(a, b);
    } else
      return remainder(a, b, like_c);
  })};
}

// z = x - y trunc(x / y): dx = dz, dy = -dz trunc(x / y) = dz (z - x) / y
void grad(GradBuilder& builder) {
  const int dz = builder.output_gradient(0);
  if (builder.wanted(0)) set_broadcast_gradient(builder, 0, dz);
  if (!builder.wanted(1)) return;
  const int taken = emit_op(builder, "Sub", {builder.output(0), builder.input(0)});
  const int slope = emit_op(builder, "Div", {taken, builder.input(1)});
  set_broadcast_gradient(builder, 1, emit_op(builder, "Mul", {dz, slope}));
}

std::vector<Sample> samples() {
  const Array x = Array::of_ints({2, 2}, {-7, 7, 5, -4}), y = Array::of_ints({2}, {3, -2});
  return {{{}, {i64({2, 2}), i64({2})}, {{0, x}, {1, y}}},
          {{{"fmod", int64_t{1}}}, {i64({2, 2}), i64({2})}, {{0, x}, {1, y}}},
          {{{"fmod", int64_t{1}}}, {f32({4}), f32({4})}}};
}

}  // namespace

OpDef row() {
  return {
      .name  = "Mod",
      .doc   = "remainder of x / y with the sign of y, or of x where fmod = 1",
      .infer = [](const OpCall& call) -> std::vector<Type> {
        check_two_operands(call);
        return {infer_elementwise(call, Accepts::numbers, Gives::same)};
      },
      .factors = broadcast_factors,
      .work    = elementwise_work<1>,
      .eval    = eval,
      .grad    = grad,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::mod
