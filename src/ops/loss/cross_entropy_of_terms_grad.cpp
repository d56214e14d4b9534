#include <cmath>

#include "ops/common/kernel.h"
#include "ops/common/lanes.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/loss/vocabulary_part.h"

namespace foreflow::ops::definitions::cross_entropy_of_terms_grad {

namespace {

constexpr size_t kLogits = 0, kLabels = 1, kLargest = 2, kExponentials = 3, kWeights = 4;

std::vector<Type> infer(const OpCall& call) {
  part_of(call);
  averages(call);
  return {tensor_operand(call, kLogits)};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const RowLetters text = row_letters(tensor_operand(call, kLogits).dims.size(), needs_all_rows(call));
  return {.text = factor_text(call, {text.logits, text.rows, text.rows, text.rows}, {text.logits})};
}

// weight * (exp(x - largest) / sum of exponentials - one at the label) / divisor.
std::vector<Array> eval(const OpCall& call) {
  const Array& logits       = value_of(call, kLogits);
  const VocabularyPart part = part_of(call);
  const Lanes lanes         = lanes_along(logits.dims(), 1);
  const Targets targets     = targets_of(call, {kLabels, kWeights, std::nullopt}, part.all);
  const auto largest        = values_of<double>(value_of(call, kLargest)),
             sums           = values_of<double>(value_of(call, kExponentials));
  auto slopes               = values_of<double>(logits);
  for (size_t row = 0; row < lanes.count(); ++row) {
    for (size_t c = 0; c < lanes.length; ++c) {
      double& slope    = slopes[lanes.at(row, c)];
      const bool label = static_cast<int64_t>(c) + part.first == targets.label[row];
      slope = targets.weight[row] * (std::exp(slope - largest[row]) / sums[row] - (label ? 1 : 0)) / targets.divisor;
    }
  }
  return {array_of(logits.dtype(), logits.dims(), slopes)};
}

}  // namespace

OpDef row() {
  return {
      .name = "CrossEntropyOfTermsGrad",
      .doc =
          "logits[n,c,..], the classes from `first` on of `all`, labels[n,..], largest[n,..], exponentials[n,..], "
          "weights[all] -> dlogits of the loss of all parts, for an upstream gradient of one",
      .domain        = "foreflow",
      .role          = Role::loss_gradient,
      .loss          = true,
      .whole_because = "it divides by the number of all labels that count",
      .infer         = infer,
      .factors       = factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, (kTranscendental + 3) * count_of(outputs[0]));
          },
      .eval = eval,
      .samples =
          [] {
            const std::pair<size_t, Array> sums{3, Array::of_floats({4}, {1.5F, 2, 1, 3})},
                labels{1, Array::of_ints({4}, {0, 2, 5, 3})};
            const std::vector<Type> types{f32({4, 3}), i64({4}), f32({4}), f32({4})};
            return std::vector<Sample>{
                {{{"first", 2}, {"all", 6}}, types, {sums, labels}},
                {{{"first", 2}, {"all", 6}, {"count", 8}}, types, {sums, labels}},
                {{{"first", 0}, {"all", 6}, {"reduction", "sum"}, {"ignore_index", 2}}, types, {sums, labels}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::cross_entropy_of_terms_grad
