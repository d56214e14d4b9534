#include "ops/common/softmax_family.h"

namespace foreflow::ops::definitions::log_softmax {

namespace {

// dx = dy - exp(y) * sum(dy).
void grad_log_softmax(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x       = tensor_operand(call, 0);
  if (!has_rank(x)) call.fail("the rank must be known to differentiate");
  std::vector<int64_t> axes;
  const size_t first = softmax_axis(call, x.dims), last = flattens(call) ? x.dims.size() : first + 1;
  for (size_t axis = first; axis < last; ++axis) axes.push_back(static_cast<int64_t>(axis));
  const int dy    = builder.output_gradient(0);
  const int sum   = builder.emit("ReduceSum", {{"axes", axes}, {"keepdims", int64_t{1}}}, {dy})[0];
  const int share = builder.emit("Mul", {}, {builder.emit("Exp", {}, {builder.output(0)})[0], sum})[0];
  builder.set_input_gradient(0, builder.emit("Sub", {}, {dy, share})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name          = "LogSoftmax",
      .doc           = "x - log(sum(exp(x))) along `axis`; flatten = 1: along all axes from `axis` on",
      .normalises    = true,
      .softmax       = ir::Softmax::log,
      .whole_because = "it normalises along that dimension",
      .infer         = infer_softmax,
      .factors       = softmax_factors,
      .work          = softmax_work,
      .eval =
          [](const OpCall& call) {
            return eval_softmax(call, [](std::vector<double>& lane) {
              const double offset = log_sum_exp(lane);
              for (double& value : lane) value -= offset;
            });
          },
      .grad = grad_log_softmax,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({2, 4, 3})}},
                                       {{{"axis", 0}}, {f32({3, 4})}},
                                       {{{"axis", 1}, {"flatten", 1}}, {f32({4, 2, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::log_softmax
