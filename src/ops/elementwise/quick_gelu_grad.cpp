#include "ops/common/elementwise.h"
#include "ops/elementwise/quick_gelu_formula.h"

namespace foreflow::ops::definitions::quick_gelu_grad {

OpDef row() {
  return {
      .name   = "QuickGeluGrad",
      .doc    = "dy, x -> dy * slope of QuickGelu at x",
      .domain = "com.microsoft",
      .infer  = [](const OpCall& call) -> std::vector<Type> {
        check_two_operands(call);
        return {infer_elementwise(call, Accepts::floats, Gives::same)};
      },
      .factors = broadcast_factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, (kTranscendental + 8) * count_of(outputs[0]));
          },
      .eval = [](const OpCall& call) -> std::vector<Array> {
        const double alpha = quick_gelu_alpha(call.attributes);
        const Array& dy    = value_of(call, 0);
        return {map_pairs(call, dy, value_of(call, 1), dy.dtype(), [alpha](auto slope, auto at) {
          const auto x      = static_cast<double>(at);
          const double gate = quick_gelu_gate(x, alpha);
          return static_cast<double>(slope) * gate * (1 + alpha * x * (1 - gate));
        })};
      },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({4, 2}), f32({4, 2})}},
                                       {{{"alpha", 1.0}}, {f32({2, 3}), f32({2, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::quick_gelu_grad
