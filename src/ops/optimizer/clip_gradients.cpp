#include <cmath>

#include "ops/common/kernel.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::clip_gradients {

namespace {

double largest_norm(const OpCall& call) {
  const double norm = call.attributes.float_or("max_norm", 0);
  if (!(norm > 0)) call.fail("has max_norm = " + std::to_string(norm) + "; a number above 0 would be right");
  return norm;
}

// dw1 .. dwn and the sum of squares.
std::vector<Type> infer(const OpCall& call) {
  if (call.arity() < 2)
    call.fail("has " + std::to_string(call.arity()) + " operands; gradients and their squared norm would be right");
  largest_norm(call);
  const Type norm = tensor_operand(call, call.arity() - 1);
  if (has_rank(norm) && !norm.dims.empty())
    call.fail("the last operand is " + to_string(norm) + "; the squared norm, one number, would be right");
  std::vector<Type> types;
  for (size_t i = 0; i + 1 < call.arity(); ++i) types.push_back(tensor_operand(call, i));
  return types;
}

// min(1, max / (norm + 1e-6)): PyTorch's clip_grad_norm_, and Megatron-LM's. What is no number stays none.
double factor(const OpCall& call) {
  constexpr double kBesideNorm = 1e-6;
  const double norm            = std::sqrt(value_of(call, call.arity() - 1).at(0));
  const double wanted          = largest_norm(call) / (norm + kBesideNorm);
  return wanted >= 1 ? 1 : wanted;
}

std::vector<Array> eval(const OpCall& call) {
  const double scale = factor(call);
  std::vector<Array> scaled;
  for (size_t i = 0; i + 1 < call.arity(); ++i) {
    const Array& gradient = value_of(call, i);
    auto values           = values_of<double>(gradient);
    for (double& x : values) x *= scale;
    scaled.push_back(array_of(gradient.dtype(), gradient.dims(), values));
  }
  return scaled;
}

}  // namespace

OpDef row() {
  return {
      .name = "ClipGradients",
      .doc =
          "dw1, .., dwn, s[] -> each dwi * min(1, max_norm / (sqrt(s) + 1e-6)), where s is the squared norm of all "
          "gradients",
      .domain     = "foreflow",
      .foldable   = false,
      .in_place   = InPlace::each,
      .for_update = true,
      .infer      = infer,
      .factors    = [](const OpCall&) -> Factors { return {}; },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            double elements = 0;
            for (const Type& output : outputs) elements += count_of(output);
            return computes(call, outputs, elements);
          },
      .eval = eval,
      .samples =
          [] {
            const Attributes half = {{"max_norm", 0.5}}, much = {{"max_norm", 1e3}};
            const Array four = Array::scalar(4.0F);
            return std::vector<Sample>{{half, {f32({4, 2}), f32({})}, {{1, four}}, 1},
                                       {much, {f32({4, 2}), f32({2}), f32({})}, {{2, four}}, 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::clip_gradients
