#include "ops/common/letters.h"
#include "ops/common/normalisation.h"
#include "ops/common/work.h"
#include "ops/normalisation/rows_normalised.h"

namespace foreflow::ops::definitions::group_normalization {

namespace {

int64_t groups_of(const OpCall& call) { return call.attributes.get_int("num_groups"); }

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (has_rank(x) && x.dims.size() < 2) call.fail("x is " + to_string(x.dims) + "; it should be (N, C, ...)");
  const int64_t groups = groups_of(call);
  if (groups <= 0 || (has_rank(x) && x.dims[1] != Dims::kUnknown && x.dims[1] % groups != 0))
    call.fail("num_groups is " + std::to_string(groups) + "; it should divide the channels");
  for (size_t i = 1; i < 3; ++i) {
    const Type operand = tensor_operand(call, i);
    if (!has_dims(operand) || operand.dims == Dims{groups}) continue;
    if (has_rank(x) && operand.dims != Dims{x.dims[1]}) {
      call.fail("operand " + std::to_string(i) + " is " + to_string(operand.dims) +
                "; it should have one number for each of " + std::to_string(x.dims[1]) + " channels or " +
                std::to_string(groups) + " groups");
    }
  }
  return {x};
}

}  // namespace

OpDef row() {
  return {
      .name = "GroupNormalization",
      .doc =
          "(x[n,c,..] - mean) / sqrt(variance + epsilon) * scale + bias, over `num_groups` runs of channels; scale and "
          "bias for each channel, or for each run as before opset 21",
      .normalises    = true,
      .whole_because = "it normalises along that dimension",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string text = "n" + dots(tensor_operand(call, 0).dims.size() - 1);
        return {.text = factor_text(call, {text}, {text})};
      },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, kNormalisationFlops * count_of(outputs[0]));
          },
      .eval = [](const OpCall& call) -> std::vector<Array> { return {normalise_rows(call, groups_of(call))}; },
      .grad = [](GradBuilder& builder) { grad_rows(builder, groups_of(builder.call())); },
      .samples =
          [] {
            return std::vector<Sample>{{{{"num_groups", 2}}, {f32({2, 4, 3}), f32({2}), f32({2})}},
                                       {{{"num_groups", 1}, {"epsilon", 1e-3}}, {f32({2, 3, 2}), f32({1}), f32({1})}},
                                       {{{"num_groups", 2}}, {f32({2, 4, 3, 2}), f32({4}), f32({4})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::group_normalization
