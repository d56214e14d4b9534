#include <cmath>

#include "ops/common/kernel.h"
#include "ops/common/lanes.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/loss/vocabulary_part.h"

namespace foreflow::ops::definitions::cross_entropy_terms {

namespace {

std::vector<Type> infer(const OpCall& call) {
  part_of(call);
  const Type logits = tensor_operand(call, 0);
  if (!has_rank(logits)) return {without_dims(logits), without_dims(logits)};
  if (logits.dims.size() < 2) call.fail("logits are " + to_string(logits.dims) + "; they should be (N, C, ...)");
  Dims rows = logits.dims;
  rows.erase(1);
  for (const size_t operand : {1, 2}) {
    const Type given = tensor_operand(call, operand);
    if (has_dims(given) && has_dims(logits) && given.dims != rows) {
      call.fail((operand == 1 ? "labels are " : "the largest are ") + to_string(given.dims) +
                "; they should be the logits without the classes, " + to_string(rows));
    }
  }
  return {sums_type(logits, rows), sums_type(logits, rows)};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const RowLetters text = row_letters(tensor_operand(call, 0).dims.size(), false);
  return {.text = factor_text(call, {text.logits, text.rows, text.rows}, {text.rows, text.rows})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& logits       = value_of(call, 0);
  const VocabularyPart part = part_of(call);
  const Lanes lanes         = lanes_along(logits.dims(), 1);
  const auto x = values_of<double>(logits), largest = values_of<double>(value_of(call, 2));
  const auto labels = values_of<int64_t>(value_of(call, 1));
  std::vector<double> exponentials(lanes.count()), label(lanes.count());
  for (size_t row = 0; row < lanes.count(); ++row) {
    for (size_t c = 0; c < lanes.length; ++c) exponentials[row] += std::exp(x[lanes.at(row, c)] - largest[row]);
    const int64_t own = labels[row] - part.first;
    if (own >= 0 && own < static_cast<int64_t>(lanes.length))
      label[row] = x[lanes.at(row, static_cast<size_t>(own))] - largest[row];
  }
  const auto types = infer(call);
  return {array_of(types[0].dtype, types[0].dims, exponentials), array_of(types[1].dtype, types[1].dims, label)};
}

}  // namespace

OpDef row() {
  return {
      .name = "CrossEntropyTerms",
      .doc =
          "logits[n,c,..], the classes from `first` on of `all`, labels[n,..], largest[n,..] -> sums of exp(logits - "
          "largest), and the label's logit - largest, or 0 where it is in another part",
      .domain        = "foreflow",
      .loss          = true,
      .whole_because = "it sums over all classes",
      .infer         = infer,
      .factors       = factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, (kTranscendental + 2) * count_of(call.inputs[0]));
          },
      .eval = eval,
      .samples =
          [] {
            const std::pair<size_t, Array> labels{1, Array::of_ints({4}, {0, 2, 5, 3})};
            return std::vector<Sample>{{{{"first", 2}, {"all", 6}}, {f32({4, 3}), i64({4}), f32({4})}, {labels}, 2},
                                       {{{"first", 0}, {"all", 6}},
                                        {f32({2, 3, 2}), i64({2, 2}), f32({2, 2})},
                                        {{1, Array::of_ints({2, 2}, {0, 4, 2, 1})}},
                                        2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::cross_entropy_terms
