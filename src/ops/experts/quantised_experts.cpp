#include "ops/experts/expert_products.h"

namespace foreflow::ops::definitions::quantised_experts {

namespace {

constexpr ExpertPlaces kPlaces{{2, 4, 3}, {5, 7, 6}, {8, 10, 9}};
constexpr size_t kFirstZero = 11;  // zero points, router weights and scales of other forms

std::vector<Array> eval(const OpCall& call) {
  for (size_t i = kFirstZero; i < call.arity(); ++i) {
    if (call.has(i)) call.fail("has no reference kernel with operand " + std::to_string(i));
  }
  if (call.attributes.string_or("quant_type", "int") != "int" || call.attributes.int_or("weights_prepacked", 0) == 1)
    call.fail("has a reference kernel for quant_type \"int\" of weights that are not prepacked only");
  if (call.attributes.int_or("swiglu_limit_after_activation", 0) != 0)
    call.fail("has no reference kernel with swiglu_limit_after_activation");
  return eval_experts(call, kPlaces);
}

}  // namespace

OpDef row() {
  return {
      .name = "QMoE",
      .doc =
          "x[..,h], router scores[tokens,e], packed weights, scales and biases of e experts -> the k best experts' "
          "MLPs of each token, weighted by a softmax of the scores",
      .domain        = "com.microsoft",
      .whole_because = "a token goes through all features of an expert",
      .infer =
          [](const OpCall& call) {
            for (const char* const name :
                 {"fc1_expert_weight_bits", "fc2_expert_weight_bits", "fc3_expert_weight_bits"}) {
              if (call.attributes.find(name) != nullptr)
                call.fail(std::string(name) + " is not supported; expert_weight_bits for all products is");
            }
            return infer_experts(call, kPlaces);
          },
      .factors = factors_of_experts,
      .work = [](const OpCall& call, std::span<const Type> outputs) { return work_of_experts(call, outputs, kPlaces); },
      .eval = eval,
      .samples =
          [] {
            const auto bytes = [](const Dims& dims) { return Type::tensor(DType::u8, dims); };
            const Attributes joint{{"k", 2}, {"activation_type", "swiglu"}, {"swiglu_fusion", 2}, {"block_size", 2}};
            return std::vector<Sample>{
                {{{"expert_weight_bits", 8}},
                 {f32({4, 6}), f32({4, 2}), bytes({2, 3, 6}), f32({2, 3}), f32({2, 3}), bytes({2, 6, 3}), f32({2, 6})}},
                {joint,
                 {f32({2, 2, 4}),
                  f32({4, 3}),
                  bytes({3, 8, 2}),
                  f32({3, 8, 2}),
                  {},
                  bytes({3, 4, 2}),
                  f32({3, 4, 2})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::quantised_experts
