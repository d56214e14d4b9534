#include "ops/common/fused_activation.h"
#include "ops/common/fused_call.h"

namespace foreflow::ops::definitions::fused_gemm {

namespace {

int unfused(CallBuilder& builder) {
  const FusedCall fused{builder};
  std::vector<int> operands;
  for (size_t i = 0; i < builder.call().arity(); ++i) operands.push_back(fused.operand(i));
  return activated_call(fused, fused.emit("Gemm", operands, without_activation(fused.attributes())));
}

}  // namespace

OpDef row() {
  return {
      .name          = "FusedGemm",
      .doc           = "activation(Gemm(a, b, c)): Relu, LeakyRelu, Sigmoid, Tanh, ..",
      .domain        = "com.microsoft",
      .kernels       = ir::Kernels::product,
      .whole_because = "it multiplies all elements of that dimension with a weight",
      .infer =
          [](const OpCall& call) {
            std::vector<Type> types = row_of("Gemm").infer(call);
            check_activation(call, types[0]);
            return types;
          },
      .factors = [](const OpCall& call) { return without_sums(row_of("Gemm").factors(call)); },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return with_activation(call, outputs, row_of("Gemm").work(call, outputs));
          },
      .eval = [](const OpCall& call) -> std::vector<Array> {
        return {activated(call, row_of("Gemm").eval(Wide(call).call())[0])};
      },
      .unfused = unfused,
      .samples =
          [] {
            const Attributes leaky{{"activation", "LeakyRelu"}, {"activation_alpha", 0.25}, {"transB", 1}};
            return std::vector<Sample>{{{{"activation", "Relu"}}, {f32({4, 6}), f32({6, 2}), f32({2})}},
                                       {leaky, {f32({4, 6}), f32({2, 6})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::fused_gemm
