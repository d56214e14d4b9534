#include <cmath>

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/loss/vocabulary_part.h"

namespace foreflow::ops::definitions::cross_entropy_of_terms {

namespace {

constexpr size_t kExponentials = 0, kLabel = 1, kLabels = 2, kWeights = 3;

std::vector<Type> infer(const OpCall& call) {
  const Type terms = tensor_operand(call, kExponentials), label = tensor_operand(call, kLabel),
             labels = tensor_operand(call, kLabels);
  if (has_dims(terms) && has_dims(label) && has_dims(labels) &&
      (terms.dims != label.dims || terms.dims != labels.dims)) {
    call.fail("the terms are " + to_string(terms.dims) + " and " + to_string(label.dims) + ", the labels " +
              to_string(labels.dims) + "; they should have the same shape");
  }
  const auto dtype = output_dtype(call);
  Type loss        = keeps_rows(call) ? terms : with_dims(terms, {});
  if (dtype && loss.is_tensor()) loss.dtype = *dtype;
  return {loss};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string rows = row_letters(tensor_operand(call, kLabels).dims.size() + 1, needs_all_rows(call)).rows;
  return {.text = factor_text(call, {rows, rows, rows}, {keeps_rows(call) ? rows : ""})};
}

// weight * (log(sum of exponentials) - the label's logit): both are relative to the largest logit, which falls out.
std::vector<Array> eval(const OpCall& call) {
  const auto exponentials = values_of<double>(value_of(call, kExponentials)),
             label        = values_of<double>(value_of(call, kLabel));
  const Targets targets   = targets_of(call, {kLabels, kWeights, std::nullopt}, call.attributes.get_int("all"));
  const Type type         = infer(call)[0];
  std::vector<double> losses;
  double sum = 0;
  for (size_t row = 0; row < label.size(); ++row) {
    losses.push_back(targets.label[row] < 0 ? 0 : targets.weight[row] * (std::log(exponentials[row]) - label[row]));
    sum += losses.back();
  }
  return {keeps_rows(call) ? array_of(type.dtype, type.dims, losses)
                           : array_of(type.dtype, {}, std::vector{sum / targets.divisor})};
}

}  // namespace

OpDef row() {
  return {
      .name = "CrossEntropyOfTerms",
      .doc =
          "exponentials[n,..], label[n,..], the CrossEntropyTerms summed over all parts, labels[n,..], weights[all] -> "
          "the loss of SoftmaxCrossEntropyLoss, in the type `output_type`",
      .domain        = "foreflow",
      .loss          = true,
      .whole_because = "its result depends on the numbers of all samples that count",
      .infer         = infer,
      .factors       = factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, (kTranscendental + 3) * count_of(call.inputs[0]));
          },
      .eval = eval,
      .samples =
          [] {
            const std::pair<size_t, Array> sums{0, Array::of_floats({4}, {1.5F, 2, 1, 3})},
                labels{2, Array::of_ints({4}, {0, 2, 5, 3})};
            const std::vector<Type> types{f32({4}), f32({4}), i64({4})};
            return std::vector<Sample>{
                {{{"all", 6}}, types, {sums, labels}},
                {{{"all", 6}, {"count", 8}}, types, {sums, labels}},
                {{{"all", 6}, {"reduction", "none"}, {"ignore_index", 5}}, types, {sums, labels}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::cross_entropy_of_terms
