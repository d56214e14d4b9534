#include "ops/softmax_family.h"

namespace foreflow::ops::definitions {

namespace {

// dx = dy - exp(y) * sum(dy).
void grad_log_softmax(GradBuilder& builder) {
  if (flattens(builder.call())) builder.call().fail("has no gradient with flatten = 1; put Reshape around it");
  const int64_t axis = builder.call().attributes.int_or("axis", -1);
  const int dy       = builder.output_gradient(0);
  const int sum = builder.emit("ReduceSum", {{"axes", std::vector<int64_t>{axis}}, {"keepdims", int64_t{1}}}, {dy})[0];
  const int share    = builder.emit("Mul", {}, {builder.emit("Exp", {}, {builder.output(0)})[0], sum})[0];
  builder.set_input_gradient(0, builder.emit("Sub", {}, {dy, share})[0]);
}

}  // namespace

OpDef log_softmax() {
  return {
      .name    = "LogSoftmax",
      .doc     = "x - log(sum(exp(x))) along `axis`; flatten = 1: along all axes from `axis` on",
      .infer   = infer_softmax,
      .factors = softmax_factors,
      .work    = softmax_work,
      .eval    = [](const OpCall& call) {
        return eval_softmax(call, [](std::vector<double>& lane) {
          const double offset = log_sum_exp(lane);
          for (double& value : lane) value -= offset;
        });
      },
      .grad    = grad_log_softmax,
      .samples = [] { return std::vector<Sample>{{{}, {f32({2, 4, 3})}}, {{{"axis", 0}}, {f32({3, 4})}}}; },
  };
}

}  // namespace foreflow::ops::definitions
