#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::descent_step {

namespace {

std::vector<Type> infer(const OpCall& call) {
  if (call.arity() < 3) call.fail("has " + std::to_string(call.arity()) + " operands; eta, w and dw would be right");
  const Type w = tensor_operand(call, 1), dw = tensor_operand(call, 2);
  if (has_dims(w) && has_dims(dw) && w.dims != dw.dims)
    call.fail("dw is " + to_string(dw.dims) + "; it should have the shape of w, " + to_string(w.dims));
  return call.outputs > 1 ? std::vector{w, dw} : std::vector{w};
}

std::vector<Array> eval(const OpCall& call) {
  const double eta = value_of(call, 0).at(0);
  const Array &w = value_of(call, 1), &dw = value_of(call, 2);
  auto moved = values_of<double>(w), step = values_of<double>(dw);
  for (size_t i = 0; i < moved.size(); ++i) {
    step[i] *= -eta;
    moved[i] += step[i];
  }
  std::vector<Array> results{array_of(w.dtype(), w.dims(), moved)};
  if (call.outputs > 1) results.push_back(array_of(dw.dtype(), dw.dims(), step));
  return results;
}

}  // namespace

OpDef row() {
  return {
      .name     = "DescentStep",
      .doc      = "eta[], w, dw -> w - eta * dw and -eta * dw: SGDOptimizer of com.microsoft",
      .domain   = "foreflow",
      .foldable = false,
      .infer    = infer,
      .factors  = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string all = letters(tensor_operand(call, 1).dims.size());
        return {.text = factor_text(call, {dots_of(call, 0), all, all}, std::vector<std::string>(call.outputs, all))};
      },
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 2 * count_of(outputs[0])); },
      .eval = eval,
      .samples =
          [] {
            const std::pair<size_t, Array> eta{0, Array::scalar(0.5F)};
            return std::vector<Sample>{{{}, {f32({}), f32({4, 2}), f32({4, 2})}, {eta}, 2},
                                       {{}, {f32({}), f32({2}), f32({2})}, {eta}, 1}};
          },
  };
}

}  // namespace foreflow::ops::definitions::descent_step
