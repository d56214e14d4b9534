#include "ops/normalisation/rows_normalised.h"

#include "ops/common/kernel.h"
#include "ops/common/normalisation.h"

namespace foreflow::ops {

Array normalise_rows(const OpCall& call, int64_t groups) {
  const Array& x   = value_of(call, 0);
  auto values      = values_of<double>(x);
  const auto scale = values_of<double>(value_of(call, 1)), bias = values_of<double>(value_of(call, 2));
  const auto rows = static_cast<size_t>(x.dims()[0] * groups), parts = scale.size();
  if (rows == 0 || values.empty()) return x;
  const size_t length = values.size() / rows, span = values.size() / (static_cast<size_t>(x.dims()[0]) * parts);
  const Moments moments = moments_of(values, length, call.attributes.float_or("epsilon", 1e-5));
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t row = i / length, part = i / span % parts;
    values[i] = (values[i] - moments.mean[row]) * moments.inverse_deviation[row] * scale[part] + bias[part];
  }
  return array_of(x.dtype(), x.dims(), values);
}

// With z the normalised x: dx is that of z for the gradient dy * scale, dscale = sum(dy * z), dbias = sum(dy).
void grad_rows(GradBuilder& builder, int64_t groups) {
  const OpCall& call = builder.call();
  const Type x = tensor_operand(call, 0), scales = tensor_operand(call, 1);
  if (!has_dims(x) || !has_dims(scales)) call.fail("the shape must be known to differentiate");
  const int64_t parts = scales.dims[0];
  const auto viewed   = [&](int handle, int64_t runs) {
    const int64_t length = element_count(x.dims) / std::max<int64_t>(1, x.dims[0] * runs);
    return builder.emit("Reshape", {{"shape", std::vector<int64_t>{x.dims[0], runs, length}}}, {handle})[0];
  };
  const auto by_row   = [&](int handle) { return parts == groups ? handle : viewed(handle, groups); };
  const auto by_part  = [&](int handle) { return parts == groups ? handle : viewed(handle, parts); };
  const auto constant = [&](const Dims& dims, double value) {
    const Array numbers = array_of(x.dtype, dims, std::vector<double>(static_cast<size_t>(element_count(dims)), value));
    return builder.emit("Constant", {{"value", numbers}}, {})[0];
  };
  const int64_t length = element_count(x.dims) / std::max<int64_t>(1, x.dims[0] * groups);
  const Attributes along{{"axis", 2}, {"epsilon", call.attributes.float_or("epsilon", 1e-5)}};
  const int rows = viewed(builder.input(0), groups), ones = constant({length}, 1);
  const int dy    = viewed(builder.output_gradient(0), parts);
  const int scale = builder.emit("Reshape", {{"shape", std::vector<int64_t>{parts, 1}}}, {builder.input(1)})[0];
  const int by_z  = by_row(builder.emit("Mul", {}, {dy, scale})[0]);
  const int dx    = builder.emit("LayerNormalizationGrad", along, {rows, ones, by_z}, 3)[0];
  builder.set_input_gradient(
      0, builder.emit("Reshape", {{"shape", std::vector<int64_t>(x.dims.begin(), x.dims.end())}}, {dx})[0]);
  const auto summed = [&](int handle) {
    return builder.emit("ReduceSum", {{"axes", std::vector<int64_t>{0, 2}}, {"keepdims", 0}}, {handle})[0];
  };
  const int z = by_part(builder.emit("LayerNormalization", along, {rows, ones})[0]);
  if (builder.wanted(1)) builder.set_input_gradient(1, summed(builder.emit("Mul", {}, {dy, z})[0]));
  if (builder.wanted(2)) builder.set_input_gradient(2, summed(dy));
}

}  // namespace foreflow::ops
