#include <cmath>

#include "ops/common/broadcast.h"
#include "ops/common/kernel.h"
#include "ops/common/lanes.h"
#include "ops/common/letters.h"
#include "ops/common/normalisation.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::batch_normalization {

namespace {

bool training(const OpCall& call) { return call.attributes.int_or("training_mode", 0) != 0; }
double epsilon_of(const OpCall& call) { return call.attributes.float_or("epsilon", 1e-5); }

std::vector<Type> infer_normalization(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (!training(call) && call.outputs > 1) call.fail("has one result in inference; training_mode = 1 has up to five");
  if (has_rank(x) && x.dims.size() < 2) call.fail("x is " + to_string(x.dims) + "; it should be (N, C, ...)");
  for (size_t i = 1; i < 5; ++i) {
    const Type statistic = tensor_operand(call, i);
    if (has_dims(x) && has_dims(statistic) && statistic.dims != Dims{x.dims[1]}) {
      call.fail("operand " + std::to_string(i) + " is " + to_string(statistic.dims) +
                "; it should have one number for each of " + std::to_string(x.dims[1]) + " channels");
    }
  }
  const Type mean = tensor_operand(call, 3), variance = tensor_operand(call, 4);
  std::vector<Type> types{x, mean, variance, mean, variance};
  types.resize(call.outputs);
  return types;
}

struct Statistics {
  std::vector<double> mean, variance;
};

Statistics of_batch(const std::vector<double>& values, const Lanes& lanes) {
  Statistics batch{std::vector<double>(lanes.length), std::vector<double>(lanes.length)};
  const auto count = static_cast<double>(lanes.count());
  for (size_t c = 0; c < lanes.length; ++c) {
    for (size_t n = 0; n < lanes.count(); ++n) batch.mean[c] += values[lanes.at(n, c)] / count;
    for (size_t n = 0; n < lanes.count(); ++n) {
      const double difference = values[lanes.at(n, c)] - batch.mean[c];
      batch.variance[c] += difference * difference / count;
    }
  }
  return batch;
}

std::vector<double> blended(const std::vector<double>& old, const std::vector<double>& fresh, double momentum) {
  std::vector<double> blend;
  for (size_t c = 0; c < old.size(); ++c) blend.push_back(old[c] * momentum + fresh[c] * (1 - momentum));
  return blend;
}

std::vector<Array> eval_normalization(const OpCall& call) {
  const Array& x   = value_of(call, 0);
  auto values      = values_of<double>(x);
  const auto scale = values_of<double>(value_of(call, 1)), bias = values_of<double>(value_of(call, 2));
  const Array &mean = value_of(call, 3), &variance = value_of(call, 4);
  const Statistics given{values_of<double>(mean), values_of<double>(variance)};
  const double epsilon = epsilon_of(call), momentum = call.attributes.float_or("momentum", 0.9);
  const Lanes lanes     = lanes_along(x.dims(), 1);
  const Statistics used = training(call) ? of_batch(values, lanes) : given;
  for (size_t n = 0; n < lanes.count(); ++n) {
    for (size_t c = 0; c < lanes.length; ++c) {
      double& value = values[lanes.at(n, c)];
      value         = (value - used.mean[c]) / std::sqrt(used.variance[c] + epsilon) * scale[c] + bias[c];
    }
  }
  std::vector<Array> outputs{
      array_of(x.dtype(), x.dims(), values),
      array_of(mean.dtype(), mean.dims(), blended(given.mean, used.mean, momentum)),
      array_of(variance.dtype(), variance.dims(), blended(given.variance, used.variance, momentum)),
      array_of(mean.dtype(), mean.dims(), used.mean), array_of(variance.dtype(), variance.dims(), used.variance)};
  outputs.resize(call.outputs);
  return outputs;
}

// In training, the statistics are those of all rows.
Factors normalization_factors(const OpCall& call) {
  if (!splittable(call)) return {};
  std::string all           = letters(tensor_operand(call, 0).dims.size());
  const std::string channel = "b";
  if (training(call)) all = ".b" + dots(all.size() - 2);
  std::vector<std::string> outputs(call.outputs, channel);
  outputs[0] = all;
  return {.text = factor_text(call, {all, channel, channel, channel, channel}, outputs)};
}

// By the batch's own statistics, with x' = (x - mean) r and means over all but the channels:
// dx = scale r (dy - mean(dy) - x' mean(dy x')). (Ioffe and Szegedy, 2015.) No gradient comes through the blended
// statistics.
void grad_training(GradBuilder& builder) {
  const Type x = tensor_operand(builder.call(), 0);
  std::vector<int64_t> axes{0}, inner;
  for (size_t d = 2; d < x.dims.size(); ++d) axes.push_back(static_cast<int64_t>(d));
  for (size_t d = 2; d < x.dims.size(); ++d) inner.push_back(static_cast<int64_t>(d) - 1);
  const auto reduce = [&](const char* op, int value, int64_t keep) {
    return builder.emit(op, {{"axes", axes}, {"keepdims", keep}}, {value})[0];
  };
  const auto mean   = [&](int value) { return reduce("ReduceMean", value, 1); };
  const auto times  = [&](int a, int b) { return emit_op(builder, "Mul", {a, b}); };
  const int dy      = builder.output_gradient(0);
  const int centred = emit_op(builder, "Sub", {builder.input(0), mean(builder.input(0))});
  const int spread =
      emit_op(builder, "Add", {mean(times(centred, centred)), emit_number(builder, epsilon_of(builder.call()))});
  const int r      = emit_op(builder, "Reciprocal", {emit_op(builder, "Sqrt", {spread})});
  const int normal = times(centred, r);
  if (builder.wanted(0)) {
    int scale = builder.input(1);
    if (!inner.empty()) scale = builder.emit("Unsqueeze", {{"axes", inner}}, {scale})[0];
    const int rest =
        emit_op(builder, "Sub", {emit_op(builder, "Sub", {dy, mean(dy)}), times(normal, mean(times(dy, normal)))});
    builder.set_input_gradient(0, times(times(r, scale), rest));
  }
  if (builder.wanted(1)) builder.set_input_gradient(1, reduce("ReduceSum", times(dy, normal), 0));
  if (builder.wanted(2)) builder.set_input_gradient(2, reduce("ReduceSum", dy, 0));
}

// The statistics are operands like the others: with r = 1 / sqrt(variance + epsilon),
// dmean = -dbias scale r and dvariance = -1/2 dscale scale r r.
void grad_normalization(GradBuilder& builder) {
  if (training(builder.call())) return grad_training(builder);
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

OpDef row() {
  return {
      .name = "BatchNormalization",
      .doc =
          "(x[n,c,..] - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] + bias[c]; in training by the batch's own "
          "mean and variance, which follow y: blended with the old ones, and as they are",
      .normalises    = true,
      .statistics    = {3, 4},
      .takes_weights = true,
      .whole_because = "in training, its mean and variance are those of all samples",
      .instead =
          "in inference (training_mode = 0), or with a normalisation within each sample such as GroupNormalization, it "
          "can",
      .infer   = infer_normalization,
      .factors = normalization_factors,
      // In inference one multiplication and one addition an element, as the statistics are folded.
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, (training(call) ? kNormalisationFlops : 2) * count_of(outputs[0]));
          },
      .eval = eval_normalization,
      .grad = grad_normalization,
      .samples =
          [] {
            const std::pair<size_t, Array> variance{4, Array::of_floats({2}, {0.5F, 2})};
            return std::vector<Sample>{
                {{}, {f32({2, 2, 4}), f32({2}), f32({2}), f32({2}), f32({2})}, {variance}},
                {{{"epsilon", 1e-2}}, {f32({4, 2}), f32({2}), f32({2}), f32({2}), f32({2})}, {variance}},
                {{{"training_mode", 1}, {"momentum", 0.8}},
                 {f32({3, 2, 2}), f32({2}), f32({2}), f32({2}), f32({2})},
                 {variance},
                 5}};
          },
  };
}

}  // namespace foreflow::ops::definitions::batch_normalization
