#include <cmath>

#include "foreflow/base/nth.h"
#include "ops/common/elementwise.h"
#include "ops/common/letters.h"
#include "ops/common/reduce.h"

namespace foreflow::ops::definitions::mean_variance_normalization {

namespace {

constexpr double kEpsilon = 1e-9;  // of ONNX's definition, so that a constant is no division by 0

std::vector<int64_t> axes_of(const OpCall& call) {
  return call.attributes.find_ints("axes").value_or(std::vector<int64_t>{0, 2, 3});
}

// The call as a reduction sees it.
OpCall reduction_call(const OpCall& call, const Attributes& attributes) {
  return {call.def, attributes, call.inputs.first(1), call.known.first(1)};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const Attributes attributes{{"axes", axes_of(call)}};
  const Dims dims                 = tensor_operand(call, 0).dims;
  const std::vector<bool> reduced = reduced_axes(reduction_call(call, attributes), dims);
  std::string text                = letters(dims.size());
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (reduced[axis]) text[axis] = '.';
  }
  return {.text = factor_text(call, {text}, {text})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x = value_of(call, 0);
  const Attributes attributes{{"axes", axes_of(call)}};
  const Dims kept   = kept_dims(reduction_call(call, attributes), x.dims());
  const Offsets of  = broadcast_offsets(kept, x.dims());  // the group of each element
  const auto groups = static_cast<size_t>(element_count(kept));
  auto values       = values_of<double>(x);
  const double each = static_cast<double>(values.size()) / static_cast<double>(groups);
  std::vector<double> means(groups), variances(groups);
  for (size_t i = 0; i < values.size(); ++i) nth(means, of[i]) += values[i] / each;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto group = static_cast<size_t>(of[i]);
    values[i] -= means[group];
    variances[group] += values[i] * values[i] / each;
  }
  for (size_t i = 0; i < values.size(); ++i) values[i] /= std::sqrt(nth(variances, of[i])) + kEpsilon;
  return {array_of(x.dtype(), x.dims(), values)};
}

// dx = (dy - mean(dy) - y mean(dy y)) / (s + epsilon), with s the root of the variance; the slope of epsilon's part,
// 1e-9 of the last term, is left out.
void grad(GradBuilder& builder) {
  const Attributes attributes{{"axes", axes_of(builder.call())}, {"keepdims", int64_t{1}}};
  const auto mean = [&](int value) { return builder.emit("ReduceMean", attributes, {value})[0]; };
  const auto op   = [&](std::string_view name, int a, int b) { return emit_op(builder, name, {a, b}); };
  const int x = builder.input(0), y = builder.output(0), dy = builder.output_gradient(0);
  const int centred = op("Sub", x, mean(x));
  const int root    = emit_op(builder, "Sqrt", {mean(op("Mul", centred, centred))});
  const int divisor = op("Add", root, emit_number(builder, kEpsilon));
  const int along   = op("Mul", y, mean(op("Mul", dy, y)));
  builder.set_input_gradient(0, op("Div", op("Sub", op("Sub", dy, mean(dy)), along), divisor));
}

}  // namespace

OpDef row() {
  return {
      .name          = "MeanVarianceNormalization",
      .doc           = "(x - mean) / standard deviation over `axes` (0, 2, 3)",
      .normalises    = true,
      .whole_because = "it normalises along that dimension",
      .infer         = [](const OpCall& call) -> std::vector<Type> { return {tensor_operand(call, 0)}; },
      .factors       = factors,
      .work          = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 6 * count_of(outputs[0])); },
      .eval          = eval,
      .grad          = grad,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({2, 4, 2, 3})}},
                                       {{{"axes", std::vector<int64_t>{-1}}}, {f32({2, 4})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::mean_variance_normalization
