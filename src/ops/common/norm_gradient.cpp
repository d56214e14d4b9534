#include "ops/common/norm_gradient.h"

#include "ops/common/kernel.h"

namespace foreflow::ops {

namespace {

int power(GradBuilder& builder, int handle, double exponent) {
  const DType dtype    = tensor_operand(builder.call(), 0).dtype;
  const Array constant = array_of(dtype, {}, std::vector<double>{exponent});
  return builder.emit("Pow", {}, {handle, builder.emit("Constant", {{"value", constant}}, {})[0]})[0];
}

}  // namespace

double norm_of(const OpCall& call) { return call.attributes.float_or("p", 2); }

int norm_pull(GradBuilder& builder) {
  const int slope = power(builder, builder.output(0), 1 - norm_of(builder.call()));
  return builder.emit("Mul", {}, {builder.output_gradient(0), slope})[0];
}

int norm_slope(GradBuilder& builder) {
  const int size = builder.emit("Abs", {}, {builder.input(0)})[0],
            sign = builder.emit("Sign", {}, {builder.input(0)})[0];
  return builder.emit("Mul", {}, {sign, power(builder, size, norm_of(builder.call()) - 1)})[0];
}

}  // namespace foreflow::ops
