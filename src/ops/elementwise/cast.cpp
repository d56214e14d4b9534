#include "foreflow/ir/fp8.h"
#include "foreflow/ir/in_loss.h"
#include "foreflow/ir/narrow.h"
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

ir::PowerRounding power_rounding(const OpCall& call) {
  const std::string mode = call.attributes.string_or("round_mode", "up");
  if (mode == "up") return ir::PowerRounding::up;
  if (mode == "down") return ir::PowerRounding::down;
  if (mode == "nearest") return ir::PowerRounding::nearest;
  call.fail("round_mode is \"" + mode + "\"; up, down or nearest would be right");
}

Array narrowed(const OpCall& call, const Array& x) {
  const DType dtype       = target(call);
  const ir::Beyond beyond = call.attributes.int_or("saturate", 1) == 0 ? ir::Beyond::overflows : ir::Beyond::saturates;
  const ir::PowerRounding rounding = power_rounding(call);
  std::vector<uint8_t> bits;
  for (const double value : values_of<double>(x))
    bits.push_back(ir::float_to_narrow(dtype, static_cast<float>(value), beyond, rounding));
  return Array::of<uint8_t>(dtype, x.dims(), bits);
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x = value_of(call, 0);
  if (ir::is_narrow_float(target(call))) return {narrowed(call, x)};
  return {with_number_type(x.dtype(),
                           [&](auto zero) { return array_of(target(call), x.dims(), values_of<decltype(zero)>(x)); })};
}

// A copy in fp8 is written by the conversion that a product makes of its operand, and logits are converted by the loss:
// they are priced there.
Work work(const OpCall& call, std::span<const Type> outputs) {
  Work work = elementwise_work<0>(call, outputs);
  if (call.attributes.find(ir::kFp8) == nullptr && call.attributes.find(ir::kInLoss) == nullptr) return work;
  work.read = work.written = Bytes(0);
  work.kernels             = 0;
  return work;
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
          "x as data type `to`; floats become integers by truncation; floats of 8 bits saturate unless saturate = 0, "
          "and Float8E8M0 rounds as round_mode says (up, down or nearest)",
      .copy           = Copy::converted,
      .adjusts_scores = true,
      // The parts of a sum may each be converted to another float type: the sum has more or fewer digits, not other
      // ones.
      .linear_operand = [](const OpCall& call) -> std::optional<size_t> {
        const bool floats = ir::is_float(call.inputs[0].dtype) && ir::is_float(target(call));
        return floats ? std::optional<size_t>(0) : std::nullopt;
      },
      .infer   = infer,
      .factors = same_shape_factors,
      .work    = work,
      .eval    = eval,
      .grad    = grad,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::cast
