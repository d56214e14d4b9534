#include "ops/common/letters.h"
#include "ops/common/normalisation.h"
#include "ops/common/work.h"
#include "ops/normalisation/rows_normalised.h"

namespace foreflow::ops::definitions::instance_normalization {

namespace {

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (has_rank(x) && x.dims.size() < 2) call.fail("x is " + to_string(x.dims) + "; it should be (N, C, ...)");
  for (size_t i = 1; i < 3; ++i) {
    const Type operand = tensor_operand(call, i);
    if (has_dims(x) && has_dims(operand) && operand.dims != Dims{x.dims[1]}) {
      call.fail("operand " + std::to_string(i) + " is " + to_string(operand.dims) +
                "; it should have one number for each of " + std::to_string(x.dims[1]) + " channels");
    }
  }
  return {x};
}

}  // namespace

OpDef row() {
  return {
      .name = "InstanceNormalization",
      .doc =
          "(x[n,c,..] - mean) / sqrt(variance + epsilon) * scale[c] + bias[c], mean and variance those of each [n,c]",
      .normalises    = true,
      .whole_because = "it normalises along that dimension",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string text = "nc" + dots(tensor_operand(call, 0).dims.size() - 2);
        return {.text = factor_text(call, {text, "c", "c"}, {text})};
      },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, kNormalisationFlops * count_of(outputs[0]));
          },
      .eval = [](const OpCall& call) -> std::vector<Array> {
        return {normalise_rows(call, value_of(call, 0).dims()[1])};
      },
      .grad = [](GradBuilder& builder) { grad_rows(builder, builder.call().inputs[0].dims[1]); },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({2, 4, 3, 2}), f32({4}), f32({4})}},
                                       {{{"epsilon", 1e-2}}, {f32({2, 2, 5}), f32({2}), f32({2})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::instance_normalization
