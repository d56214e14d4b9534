#include "ops/common/bits.h"

namespace foreflow::ops::definitions::bit_shift {

namespace {

bool shifts_left(const OpCall& call) {
  const std::string direction = call.attributes.string_or("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    call.fail("direction is \"" + direction + "\"; LEFT or RIGHT would be right");
  return direction == "LEFT";
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x  = value_of(call, 0);
  const bool left = shifts_left(call);
  return {map_pairs(call, x, value_of(call, 1), x.dtype(), [=](auto value, auto by) {
    if (bits(by) >= 64) return decltype(value){0};
    return static_cast<decltype(value)>(left ? bits(value) << bits(by) : bits(value) >> bits(by));
  })};
}

std::vector<Sample> samples() {
  const Array x   = Array::of<uint8_t>(DType::u8, {3}, std::vector<uint8_t>{16, 255, 1}),
              y   = Array::of<uint8_t>(DType::u8, {3}, std::vector<uint8_t>{1, 4, 70});
  const Type type = Type::tensor(DType::u8, {3});
  return {{{{"direction", "LEFT"}}, {type, type}, {{0, x}, {1, y}}},
          {{{"direction", "RIGHT"}}, {type, type}, {{0, x}, {1, y}}}};
}

}  // namespace

OpDef row() {
  return {
      .name  = "BitShift",
      .doc   = "the bits of x moved y places, as `direction` (LEFT, RIGHT) says; unsigned integers",
      .infer = [](const OpCall& call) -> std::vector<Type> {
        check_two_operands(call);
        shifts_left(call);
        return {infer_elementwise(call, Accepts::unsigned_integers, Gives::same)};
      },
      .factors = broadcast_factors,
      .work    = elementwise_work<1>,
      .eval    = eval,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::bit_shift
