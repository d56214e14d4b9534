#include "ops/experts/expert_products.h"

namespace foreflow::ops::definitions::mixture_of_experts {

namespace {

constexpr ExpertPlaces kPlaces{{2, 3}, {4, 5}, {6, 7}};

}  // namespace

OpDef row() {
  return {
      .name = "MoE",
      .doc =
          "x[..,h], router scores[tokens,e], weights and biases of e experts -> the k best experts' MLPs of each "
          "token, weighted by a softmax of the scores",
      .domain        = "com.microsoft",
      .whole_because = "a token goes through all features of an expert",
      .infer         = [](const OpCall& call) { return infer_experts(call, kPlaces); },
      .factors       = factors_of_experts,
      .work = [](const OpCall& call, std::span<const Type> outputs) { return work_of_experts(call, outputs, kPlaces); },
      .eval = [](const OpCall& call) { return eval_experts(call, kPlaces); },
      .samples =
          [] {
            const Attributes gated{{"k", 2}, {"activation_type", "silu"}, {"normalize_routing_weights", 1}};
            const Attributes joint{{"activation_type", "swiglu"}, {"swiglu_fusion", 1}, {"swiglu_limit", 2.0}};
            return std::vector<Sample>{
                {{}, {f32({4, 6}), f32({4, 2}), f32({2, 3, 6}), f32({2, 3}), f32({2, 6, 3}), f32({2, 6})}},
                {gated, {f32({2, 2, 4}), f32({4, 3}), f32({3, 6, 4}), {}, f32({3, 4, 6}), {}, f32({3, 6, 4})}},
                {joint, {f32({4, 6}), f32({4, 2}), f32({2, 8, 6}), f32({2, 8}), f32({2, 6, 4})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::mixture_of_experts
