#include "ops/common/softmax_family.h"

namespace foreflow::ops::definitions::softmax_grad {

namespace {

std::vector<Array> eval_grad(const OpCall& call) {
  const Array& y    = value_of(call, 0);
  const auto values = values_of<double>(y);
  auto dx           = values_of<double>(value_of(call, 1));
  const Lanes lanes = softmax_lanes(call, y.dims());
  for (size_t n = 0; n < lanes.count(); ++n) {
    double dot = 0;
    for (size_t i = 0; i < lanes.length; ++i) dot += values[lanes.at(n, i)] * dx[lanes.at(n, i)];
    for (size_t i = 0; i < lanes.length; ++i) {
      double& slope = dx[lanes.at(n, i)];
      slope         = values[lanes.at(n, i)] * (slope - dot);
    }
  }
  return {array_of(y.dtype(), y.dims(), dx)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "SoftmaxGrad",
      .doc           = "y, dy -> dx = y * (dy - sum(y * dy) along `axis`): the gradient of Softmax by its result",
      .domain        = "foreflow",
      .normalises    = true,
      .gradient_of   = ir::GradientOf::softmax,
      .whole_because = "it normalises along that dimension",
      .infer         = infer_softmax_grad,
      .factors       = softmax_factors,
      .work          = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 4 * count_of(outputs[0])); },
      .eval          = eval_grad,
      .samples       = softmax_grad_samples,
  };
}

}  // namespace foreflow::ops::definitions::softmax_grad
