#include "ops/common/elementwise.h"
#include "ops/common/fused_activation.h"
#include "ops/common/fused_call.h"

namespace foreflow::ops::definitions::fused_conv {

namespace {

constexpr size_t kAdded = 3;  // x, w, bias, and what is added before the activation

// The same application as Conv, which has no fourth operand.
OpCall convolution(const OpCall& call) {
  const size_t arity = std::min(call.arity(), kAdded);
  return {row_of("Conv"), call.attributes, call.inputs.first(arity), call.known.first(arity), call.outputs};
}

std::vector<Array> eval(const OpCall& call) {
  const Wide wide(call);
  const OpCall exact = wide.call();
  Array sum          = row_of("Conv").eval(convolution(exact))[0];
  if (call.has(kAdded)) sum = map_pairs(call, sum, value_of(exact, kAdded), sum.dtype(), std::plus{});
  return {activated(call, sum)};
}

int unfused(CallBuilder& builder) {
  const FusedCall fused{builder};
  std::vector<int> operands;
  for (size_t i = 0; i < std::min(kAdded, builder.call().arity()); ++i) operands.push_back(fused.operand(i));
  while (!operands.empty() && operands.back() == kLeftOut) operands.pop_back();
  int y = fused.emit("Conv", operands, without_activation(fused.attributes()));
  if (fused.has(kAdded)) y = fused.emit("Add", {y, fused.operand(kAdded)});
  return activated_call(fused, y);
}

}  // namespace

OpDef row() {
  return {
      .name          = "FusedConv",
      .doc           = "activation(Conv(x, w, bias) + z): Relu, LeakyRelu, Sigmoid, Tanh, ..",
      .domain        = "com.microsoft",
      .whole_because = "its windows reach across that dimension",
      .infer =
          [](const OpCall& call) {
            std::vector<Type> types = row_of("Conv").infer(convolution(call));
            check_activation(call, types[0]);
            return types;
          },
      .factors =
          [](const OpCall& call) { return call.has(kAdded) ? Factors{} : without_sums(row_of("Conv").factors(call)); },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            Work work = with_activation(call, outputs, row_of("Conv").work(convolution(call), outputs));
            if (call.has(kAdded)) work.read += bytes_of(call.inputs[kAdded]);
            return work;
          },
      .eval    = eval,
      .unfused = unfused,
      .samples =
          [] {
            const Attributes leaky{{"activation", "LeakyRelu"}, {"activation_params", std::vector<double>{0.25}}};
            return std::vector<Sample>{{{{"activation", "Relu"}}, {f32({2, 4, 5, 5}), f32({2, 4, 3, 3}), f32({2})}},
                                       {leaky, {f32({1, 2, 4, 4}), f32({2, 2, 3, 3}), f32({2}), f32({1, 2, 2, 2})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::fused_conv
