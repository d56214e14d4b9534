#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::mean {

namespace {

double count(const OpCall& call) { return static_cast<double>(call.arity()); }

std::vector<Array> eval(const OpCall& call) {
  const DType dtype = value_of(call, 0).dtype();
  Array total       = array_of(DType::f64, value_of(call, 0).dims(), values_of<double>(value_of(call, 0)));
  for (size_t i = 1; i < call.arity(); ++i) total = map_pairs(call, total, value_of(call, i), DType::f64, std::plus{});
  return {map_elements(total, dtype, [n = count(call)](auto sum) { return static_cast<double>(sum) / n; })};
}

// dx = dy / n for each of the n operands, summed over where it was stretched
void grad(GradBuilder& builder) {
  const int share = emit_op(builder, "Div", {builder.output_gradient(0), emit_number(builder, count(builder.call()))});
  for (size_t i = 0; i < builder.call().arity(); ++i) {
    if (builder.wanted(i)) set_broadcast_gradient(builder, i, share);
  }
}

}  // namespace

OpDef row() {
  return {
      .name     = "Mean",
      .doc      = "mean of any number of tensors, element by element",
      .additive = true,
      .infer    = [](const OpCall& call) -> std::vector<Type> {
        return {infer_elementwise(call, Accepts::floats, Gives::same)};
      },
      .factors = broadcast_factors,
      .work    = elementwise_work<1>,
      .eval    = eval,
      .grad    = grad,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({4, 2}), f32({2}), f32({4, 1})}}, {{}, {f32({4})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::mean
