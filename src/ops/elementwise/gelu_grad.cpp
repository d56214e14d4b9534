#include "ops/common/elementwise.h"
#include "ops/common/gelu_formula.h"

namespace foreflow::ops::definitions::gelu_grad {

OpDef row() {
  return {
      .name   = "GeluGrad",
      .doc    = "x, dy -> dy * slope of Gelu at x; approximate = tanh: of its approximation",
      .domain = "foreflow",
      .infer  = [](const OpCall& call) -> std::vector<Type> {
        gelu_form(call);
        check_two_operands(call);
        return {infer_elementwise(call, Accepts::floats, Gives::same)};
      },
      .factors = broadcast_factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, 2 * kGeluFlops * count_of(outputs[0]));
          },
      .eval = [](const OpCall& call) -> std::vector<Array> {
        const GeluForm form = gelu_form(call);
        const Array& x      = value_of(call, 0);
        return {map_pairs(call, x, value_of(call, 1), x.dtype(), [form](auto at, auto dy) {
          return gelu_slope(static_cast<double>(at), form) * static_cast<double>(dy);
        })};
      },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({4, 2}), f32({4, 2})}},
                                       {{{"approximate", "tanh"}}, {f32({2, 3}), f32({2, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::gelu_grad
