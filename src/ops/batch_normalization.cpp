#include <cmath>

#include "ops/broadcast.h"
#include "ops/kernel.h"
#include "ops/lanes.h"
#include "ops/letters.h"
#include "ops/work.h"

namespace foreflow::ops::definitions {

namespace {

double epsilon_of(const OpCall& call) { return call.attributes.float_or("epsilon", 1e-5); }

std::vector<Type> infer_normalization(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (call.attributes.int_or("training_mode", 0) != 0 || call.outputs > 1) {
    call.fail("is known in inference only: training_mode = 0 and one result");
  }
  if (has_rank(x) && x.dims.size() < 2) call.fail("x is " + to_string(x.dims) + "; it should be (N, C, ...)");
  for (size_t i = 1; i < 5; ++i) {
    const Type statistic = tensor_operand(call, i);
    if (has_dims(x) && has_dims(statistic) && statistic.dims != Dims{x.dims[1]}) {
      call.fail("operand " + std::to_string(i) + " is " + to_string(statistic.dims) +
                "; it should have one number for each of " + std::to_string(x.dims[1]) + " channels");
    }
  }
  return {x};
}

std::vector<Array> eval_normalization(const OpCall& call) {
  const Array& x       = value_of(call, 0);
  auto values          = values_of<double>(x);
  const auto scale     = values_of<double>(value_of(call, 1)), bias = values_of<double>(value_of(call, 2));
  const auto mean      = values_of<double>(value_of(call, 3)), variance = values_of<double>(value_of(call, 4));
  const double epsilon = epsilon_of(call);
  const Lanes lanes    = lanes_along(x.dims(), 1);
  for (size_t n = 0; n < lanes.count(); ++n) {
    for (size_t c = 0; c < lanes.length; ++c) {
      double& value = values[lanes.at(n, c)];
      value         = (value - mean[c]) / std::sqrt(variance[c] + epsilon) * scale[c] + bias[c];
    }
  }
  return {array_of(x.dtype(), x.dims(), values)};
}

// The statistics are operands like the others: with r = 1 / sqrt(variance + epsilon),
// dmean = -dbias scale r and dvariance = -1/2 dscale scale r r.
void grad_normalization(GradBuilder& builder) {
  const Attributes attributes{{"epsilon", epsilon_of(builder.call())}};
  const int scale = builder.input(1), variance = builder.input(4);
  const auto gradients =
      builder.emit("BatchNormalizationGrad", attributes,
                   {builder.input(0), scale, builder.input(3), variance, builder.output_gradient(0)}, 3);
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (builder.wanted(i)) builder.set_input_gradient(i, gradients[i]);
  }
  if (!builder.wanted(3) && !builder.wanted(4)) return;
  const int spread = emit_op(builder, "Add", {variance, emit_number(builder, epsilon_of(builder.call()))});
  if (builder.wanted(3)) {
    const int slope = emit_op(builder, "Div", {scale, emit_op(builder, "Sqrt", {spread})});
    builder.set_input_gradient(3, emit_op(builder, "Neg", {emit_op(builder, "Mul", {gradients[2], slope})}));
  }
  if (builder.wanted(4)) {
    const int slope = emit_op(builder, "Mul", {emit_op(builder, "Div", {scale, spread}), emit_number(builder, -0.5)});
    builder.set_input_gradient(4, emit_op(builder, "Mul", {gradients[1], slope}));
  }
}

}  // namespace

OpDef batch_normalization() {
  return {
      .name    = "BatchNormalization",
      .doc     = "(x[n,c,..] - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] + bias[c], in inference",
      .infer   = infer_normalization,
      .factors = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string all = letters(tensor_operand(call, 0).dims.size()), channel = "b";
        return {.text = factor_text(call, {all, channel, channel, channel, channel}, {all})};
      },
      // One multiplication and one addition an element once the statistics are folded.
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 2 * count_of(outputs[0])); },
      .eval = eval_normalization,
      .grad = grad_normalization,
      .samples =
          [] {
            const std::pair<size_t, Array> variance{4, Array::of_floats({2}, {0.5F, 2})};
            return std::vector<Sample>{
                {{}, {f32({2, 2, 4}), f32({2}), f32({2}), f32({2}), f32({2})}, {variance}},
                {{{"epsilon", 1e-2}}, {f32({4, 2}), f32({2}), f32({2}), f32({2}), f32({2})}, {variance}}};
          },
  };
}

}  // namespace foreflow::ops::definitions
