#include <cmath>
#include <limits>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::cast {

namespace {

DType target(const OpCall& call) {
  const std::string name = call.attributes.string_or("to", "");
  if (const std::optional<DType> dtype = ir::find_dtype(name)) return *dtype;
  call.fail("unknown data type to = \"" + name + "\"; \"Float32\" would be right");
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  return {has_rank(x) ? Type::tensor(target(call), x.dims) : Type::unranked(target(call))};
}

// The largest number that is rounded to a Float8: halfway between 448 and what would be next, 480.
constexpr double kFloat8Limit = 464;

// saturate = 0 makes NaN of what Float8 cannot hold.
std::vector<Array> eval_without_saturation(const Array& x) {
  auto values = values_of<double>(x);
  for (double& value : values) {
    if (std::fabs(value) > kFloat8Limit) value = std::numeric_limits<double>::quiet_NaN();
  }
  return {array_of(DType::f8, x.dims(), values)};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x = value_of(call, 0);
  if (target(call) == DType::f8 && call.attributes.int_or("saturate", 1) == 0) return eval_without_saturation(x);
  return {with_number_type(x.dtype(),
                           [&](auto zero) { return array_of(target(call), x.dims(), values_of<decltype(zero)>(x)); })};
}

void grad(GradBuilder& builder) {
  const Type x = tensor_operand(builder.call(), 0);
  if (!ir::is_float(x.dtype) || !ir::is_float(target(builder.call()))) return;
  const Attributes back{{"to", std::string(ir::name(x.dtype))}};
  builder.set_input_gradient(0, builder.emit("Cast", back, {builder.output_gradient(0)})[0]);
}

std::vector<Sample> samples() {
  const auto to = [](DType dtype) { return Attributes{{"to", std::string(ir::name(dtype))}}; };
  return {{to(DType::f16), {f32({4, 2})}},
          {to(DType::f64), {f32({4})}},
          {to(DType::i32), {f32({4})}, {{0, Array::of_floats({4}, {-1.5F, 0, 1.5F, 7})}}},
          {to(DType::f32), {boolean({3})}}};
}

}  // namespace

OpDef row() {
  return {
      .name = "Cast",
      .doc =
          "x as data type `to`; floats become integers by truncation; Float8 is E4M3 and saturates unless saturate = 0",
      .copy = Copy::converted,
      // The parts of a sum may each be converted to another float type: the sum has more or fewer digits, not other
      // ones.
      .linear_operand = [](const OpCall& call) -> std::optional<size_t> {
        const bool floats = ir::is_float(call.inputs[0].dtype) && ir::is_float(target(call));
        return floats ? std::optional<size_t>(0) : std::nullopt;
      },
      .infer   = infer,
      .factors = same_shape_factors,
      .work    = elementwise_work<0>,
      .eval    = eval,
      .grad    = grad,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::cast
