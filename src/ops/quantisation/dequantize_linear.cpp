#include "ops/common/axes.h"
#include "ops/common/quantised.h"

namespace foreflow::ops::definitions::dequantize_linear {

namespace {

constexpr size_t kScale = 1, kZero = 2;

size_t axis_of(const OpCall& call, size_t rank) { return per_tensor(call, kScale) ? 0 : axis_attribute(call, rank, 1); }

// As stated; else that of the scale, null if it is not known.
std::optional<DType> result_type(const OpCall& call) {
  if (const auto name = call.attributes.string_or("output_dtype", ""); !name.empty()) {
    const auto dtype = ir::find_dtype(name);
    if (!dtype || !ir::is_float(*dtype)) call.fail("output_dtype is \"" + name + "\"; a float type would be right");
    return dtype;
  }
  const Type scale = tensor_operand(call, kScale);
  return scale.kind == Type::Kind::unknown ? std::nullopt : std::optional(scale.dtype);
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  check_quantised(call, 0, Accepted::narrow_and_sums);
  const std::optional<DType> dtype = result_type(call);
  if (!dtype) return {Type{}};
  return {has_rank(x) ? Type::tensor(*dtype, x.dims) : Type::unranked(*dtype)};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  return {.text = scaled_letters(call, kScale, axis_of(call, tensor_operand(call, 0).dims.size()))};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x    = value_of(call, 0);
  const size_t axis = axis_of(call, x.dims().size());
  auto y            = values_of<double>(centred(call, 0, kZero, axis));
  const auto scales = spread_along(call, kScale, x.dims(), axis);
  for (size_t i = 0; i < y.size(); ++i) y[i] *= scales[i];
  return {array_of(*result_type(call), x.dims(), y)};
}

std::vector<Sample> samples() {
  const Type bytes = Type::tensor(DType::u8, {2, 4}), zeros = Type::tensor(DType::u8, {4});
  const std::pair<size_t, Array> scales{1, Array::of_floats({4}, {0.5F, 2, 0.25F, 1})};
  const Array blocks = Array::of_floats({2, 2}, {0.5F, 2, 0.25F, 1});
  return {{{}, {bytes, f32({})}, {{1, Array::scalar(0.5F)}}},
          {{}, {bytes, f32({4}), zeros}, {scales}},
          {{{"output_dtype", std::string("Float16")}}, {bytes, f32({})}, {{1, Array::scalar(0.5F)}}},
          {{{"block_size", 2}}, {Type::tensor(DType::i8, {2, 4}), f32({2, 2})}, {{1, blocks}}}};
}

}  // namespace

OpDef row() {
  return {
      .name = "DequantizeLinear",
      .doc  = "x, scale, zero_point -> (x - zero_point) * scale, per tensor, per index of `axis` or per block along it",
      .takes_scale   = true,
      .whole_because = "a range of numbers that share one scale spans it",
      .infer         = infer,
      .factors       = factors,
      .work          = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 2 * count_of(outputs[0])); },
      .eval          = eval,
      .samples       = samples,
  };
}

}  // namespace foreflow::ops::definitions::dequantize_linear
