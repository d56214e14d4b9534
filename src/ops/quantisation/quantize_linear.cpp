#include "ops/common/axes.h"
#include "ops/common/quantised.h"
#include "ops/common/table_rows.h"

namespace foreflow::ops::definitions::quantize_linear {

namespace {

constexpr size_t kScale = 1, kZero = 2;

size_t axis_of(const OpCall& call, size_t rank) {
  // One number for the whole tensor has no axis to lie along.
  return per_tensor(call, kScale) ? 0 : axis_attribute(call, rank, 1);
}

// The type of the result where no zero point has it.
DType stated_type(const OpCall& call) {
  const std::string name = call.attributes.string_or("output_dtype", std::string(ir::name(DType::u8)));
  if (const auto dtype = ir::find_dtype(name)) return *dtype;
  call.fail("unknown data type output_dtype = \"" + name + "\"; \"UInt8\" would be right");
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  check_quantised(call, kZero, Accepted::narrow);
  DType dtype = stated_type(call);
  if (call.has(kZero)) {
    const Type zero = tensor_operand(call, kZero);
    if (zero.kind == Type::Kind::unknown) return {Type{}};
    dtype = zero.dtype;
  }
  return {has_rank(x) ? Type::tensor(dtype, x.dims) : Type::unranked(dtype)};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  return {.text = scaled_letters(call, kScale, axis_of(call, tensor_operand(call, 0).dims.size()))};
}

// Floats have no zero point.
Array eval_float(const OpCall& call, DType dtype, const std::vector<double>& xs, const std::vector<double>& scales) {
  std::vector<float> ratios;
  for (size_t i = 0; i < xs.size(); ++i) ratios.push_back(static_cast<float>(xs[i]) / static_cast<float>(scales[i]));
  const Array quotients = Array::of_floats(value_of(call, 0).dims(), ratios);
  return evaluate("Cast", {{"to", std::string(ir::name(dtype))}, {"saturate", call.attributes.int_or("saturate", 1)}},
                  {&quotients})[0];
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x    = value_of(call, 0);
  const DType dtype = call.has(kZero) ? value_of(call, kZero).dtype() : stated_type(call);
  const size_t axis = axis_of(call, x.dims().size());
  const auto xs = values_of<double>(x), scales = spread_along(call, kScale, x.dims(), axis),
             zeros = spread_along(call, kZero, x.dims(), axis);
  if (ir::is_float(dtype)) return {eval_float(call, dtype, xs, scales)};
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
      .name = "QuantizeLinear",
      .doc =
          "x, scale, zero_point -> round(x / scale) + zero_point in at most 16 bits, per tensor, per index of `axis` "
          "or per block along it",
      .takes_scale   = true,
      .whole_because = "a range of numbers that share one scale spans it",
      .infer         = infer,
      .factors       = factors,
      .work          = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 3 * count_of(outputs[0])); },
      .eval          = eval,
      .samples       = samples,
  };
}

}  // namespace foreflow::ops::definitions::quantize_linear
