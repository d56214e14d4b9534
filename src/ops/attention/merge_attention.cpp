#include <cmath>

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::merge_attention {

namespace {

std::vector<Type> infer(const OpCall& call) {
  const Type first = tensor_operand(call, 0), sums = tensor_operand(call, 1);
  common_dtype(call, std::vector{first, tensor_operand(call, 2)});
  common_dtype(call, std::vector{sums, tensor_operand(call, 3)});
  const auto same = [&](size_t i, const Type& other) {
    const Type own = tensor_operand(call, i);
    if (has_dims(own) && has_dims(other) && own.dims != other.dims)
      call.fail("operand " + std::to_string(i) + " is " + to_string(own.dims) + ", not " + to_string(other.dims));
  };
  same(2, first);
  same(3, sums);
  return {first, sums};
}

// o = o1 exp(lse1 - lse) + o2 exp(lse2 - lse) with lse = log(exp(lse1) + exp(lse2)).
std::vector<Array> eval(const OpCall& call) {
  auto o           = values_of<double>(value_of(call, 0));
  const auto first = values_of<double>(value_of(call, 1)), second = values_of<double>(value_of(call, 3));
  const auto other   = values_of<double>(value_of(call, 2));
  const size_t width = first.empty() ? 0 : o.size() / first.size();
  std::vector<double> lse;
  for (size_t row = 0; row < first.size(); ++row) {
    const double largest = std::max(first[row], second[row]);
    lse.push_back(std::isinf(largest)
                      ? largest
                      : largest + std::log(std::exp(first[row] - largest) + std::exp(second[row] - largest)));
    const bool none  = std::isinf(lse.back());
    const double one = none ? 0 : std::exp(first[row] - lse.back());
    const double two = none ? 0 : std::exp(second[row] - lse.back());
    for (size_t i = row * width; i < (row + 1) * width; ++i) o[i] = one * o[i] + two * other[i];
  }
  const std::vector<Type> types = infer(call);
  return {array_of(types[0].dtype, types[0].dims, o), array_of(types[1].dtype, types[1].dims, lse)};
}

}  // namespace

OpDef row() {
  return {
      .name = "MergeAttention",
      .doc =
          "o1[..,e], lse1[..], o2[..,e], lse2[..] -> o and lse of BlockAttention to both blocks of keys: the online "
          "softmax",
      .domain        = "foreflow",
      .whole_because = "it combines the features of a head",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string rows = letters(tensor_operand(call, 1).dims.size()), o = rows + ".";
        return {.text = factor_text(call, {o, rows, o, rows}, {o, rows})};
      },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, 3 * count_of(outputs[0]) + (3 * kTranscendental + 4) * count_of(outputs[1]));
          },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{
                {.attributes = {},
                 .inputs     = {f32({2, 4, 6, 2}), f32({2, 4, 6}), f32({2, 4, 6, 2}), f32({2, 4, 6})},
                 .outputs    = 2},
                {.attributes = {}, .inputs = {f32({4, 2}), f32({4}), f32({4, 2}), f32({4})}, .outputs = 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::merge_attention
