#include "ops/common/softmax_family.h"

namespace foreflow::ops::definitions::softmax {

OpDef row() {
  return {
      .name          = "Softmax",
      .doc           = "exp(x) / sum(exp(x)) along `axis`; flatten = 1: along all axes from `axis` on",
      .normalises    = true,
      .softmax       = ir::Softmax::plain,
      .whole_because = "it normalises along that dimension",
      .infer         = infer_softmax,
      .factors       = softmax_factors,
      .work          = softmax_work,
      .eval =
          [](const OpCall& call) {
            return eval_softmax(call, [](std::vector<double>& lane) {
              const double scale = log_sum_exp(lane);
              for (double& value : lane) value = std::exp(value - scale);
            });
          },
      .grad =
          [](GradBuilder& builder) {
            builder.set_input_gradient(0, builder.emit("SoftmaxGrad", builder.call().attributes,
                                                       {builder.output(0), builder.output_gradient(0)})[0]);
          },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({2, 4, 3})}},
                                       {{{"axis", 1}}, {f32({2, 3, 4})}},
                                       {{{"axis", 1}, {"flatten", 1}}, {f32({4, 2, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::softmax
