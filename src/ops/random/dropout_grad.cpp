#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::dropout_grad {

namespace {

// Operands: dy, mask, ratio (0.5), training_mode (true).
std::vector<Array> eval(const OpCall& call) {
  const Array& dy     = value_of(call, 0);
  const bool training = !call.has(3) || value_of(call, 3).at(0) != 0;
  const double ratio  = call.has(2) ? value_of(call, 2).at(0) : 0.5;
  if (!training || ratio == 0) return {dy};
  const auto mask = values_of<int64_t>(value_of(call, 1));
  auto dx         = values_of<double>(dy);
  for (size_t i = 0; i < dx.size(); ++i) dx[i] = mask[i] != 0 ? dx[i] / (1 - ratio) : 0;
  return {array_of(dy.dtype(), dy.dims(), dx)};
}

std::vector<Type> infer(const OpCall& call) {
  const Type dy = tensor_operand(call, 0), mask = tensor_operand(call, 1);
  if (has_dims(dy) && has_dims(mask) && dy.dims != mask.dims)
    call.fail("the mask is " + to_string(mask.dims) + "; it should have the shape of dy, " + to_string(dy.dims));
  return {dy};
}

}  // namespace

OpDef row() {
  return {
      .name    = "DropoutGrad",
      .doc     = "dy, mask, ratio, training_mode -> dx = dy / (1 - ratio) where the mask is true, else 0",
      .domain  = "com.microsoft",
      .infer   = infer,
      .factors = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string all = letters(tensor_operand(call, 0).dims.size());
        return {.text = factor_text(call, {all, all}, {all})};
      },
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 2 * count_of(outputs[0])); },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({4, 2}), boolean({4, 2})}},
                                       {{}, {f32({3, 2}), boolean({3, 2}), f32({})}, {{2, Array::scalar(0.25F)}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::dropout_grad
