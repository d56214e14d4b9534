#include "ops/loss/cross_entropy.h"

#include "foreflow/base/nth.h"
#include "ops/common/kernel.h"
#include "ops/common/lanes.h"
#include "ops/common/letters.h"
#include "ops/common/softmax_family.h"

namespace foreflow::ops {

namespace {

constexpr size_t kLogits = 0, kLabels = 1, kWeights = 2, kIgnored = 3;

std::string reduction_of(const OpCall& call) {
  const std::string reduction = call.attributes.string_or("reduction", "mean");
  if (reduction != "mean" && reduction != "sum" && reduction != "none") {
    call.fail("reduction is \"" + reduction + "\"; mean, sum or none would be right");
  }
  return reduction;
}

}  // namespace

bool averages(const OpCall& call) { return reduction_of(call) == "mean"; }
bool keeps_rows(const OpCall& call) { return reduction_of(call) == "none"; }

std::optional<DType> output_dtype(const OpCall& call) {
  const std::string name = call.attributes.string_or("output_type", "");
  if (name.empty()) return std::nullopt;
  if (const auto dtype = ir::find_dtype(name)) return dtype;
  call.fail("unknown data type output_type = \"" + name + "\"; \"Float32\" would be right");
}

void check_cross_entropy(const OpCall& call) {
  const Type logits = tensor_operand(call, kLogits), labels = tensor_operand(call, kLabels);
  if (labels.is_tensor() && ir::is_float(labels.dtype))
    call.fail("labels are " + std::string(ir::name(labels.dtype)) + "; integers would be right");
  if (!has_rank(logits)) return;
  if (logits.dims.size() < 2) call.fail("logits are " + to_string(logits.dims) + "; they should be (N, C, ...)");
  Dims rows = logits.dims;
  rows.erase(1);
  if (has_dims(labels) && element_count(rows) >= 0 && labels.dims != rows) {
    call.fail("labels are " + to_string(labels.dims) + "; they should be the logits without the classes, " +
              to_string(rows));
  }
  if (call.has(kWeights) && has_dims(call.inputs[kWeights]) && call.inputs[kWeights].dims != Dims{logits.dims[1]}) {
    call.fail("weights are " + to_string(call.inputs[kWeights].dims) + "; one for each of " +
              std::to_string(logits.dims[1]) + " classes would be right");
  }
}

CrossEntropyLetters cross_entropy_letters(const OpCall& call) {
  const size_t rank = tensor_operand(call, kLogits).dims.size();
  const bool whole  = needs_all_rows(call);
  std::string rows  = whole ? dots(rank - 1) : letters(rank - 1);
  return {rows.substr(0, 1) + "." + rows.substr(1), rows, call.has(kWeights) ? "." : ""};
}

bool needs_all_rows(const OpCall& call) { return averages(call) && call.attributes.find("count") == nullptr; }

Targets targets_of(const OpCall& call) {
  return targets_of(call, {kLabels, kWeights, kIgnored}, value_of(call, kLogits).dims()[1]);
}

Targets targets_of(const OpCall& call, TargetOperands operands, int64_t classes) {
  Targets targets;
  targets.label = values_of<int64_t>(value_of(call, operands.labels));
  const auto weights =
      call.has(operands.weights) ? values_of<double>(value_of(call, operands.weights)) : std::vector<double>{};
  const bool stated     = operands.ignored && call.has(*operands.ignored);
  const bool can_ignore = stated || call.attributes.find("ignore_index") != nullptr;
  const int64_t ignored =
      stated ? value_of(call, *operands.ignored).to_ints().at(0) : call.attributes.int_or("ignore_index", -1);
  double total = 0;
  for (int64_t& label : targets.label) {
    const bool ignore = can_ignore && label == ignored;
    if (!ignore && (label < 0 || label >= classes)) {
      call.fail("label " + std::to_string(label) + " is no class; labels should lie in [0, " + std::to_string(classes) +
                ")");
    }
    targets.weight.push_back(ignore ? 0 : weights.empty() ? 1 : nth(weights, label));
    total += targets.weight.back();
    if (ignore) label = -1;
  }
  if (averages(call)) targets.divisor = call.attributes.float_or("count", total);
  return targets;
}

std::vector<double> log_probabilities(const Array& logits) {
  auto values       = values_of<double>(logits);
  const Lanes lanes = lanes_along(logits.dims(), 1);
  std::vector<double> lane(lanes.length);
  for (size_t row = 0; row < lanes.count(); ++row) {
    for (size_t c = 0; c < lanes.length; ++c) lane[c] = values[lanes.at(row, c)];
    const double offset = log_sum_exp(lane);
    for (size_t c = 0; c < lanes.length; ++c) values[lanes.at(row, c)] -= offset;
  }
  return values;
}

Array cross_entropy(const OpCall& call, const std::vector<double>& log_probability) {
  const Array &logits = value_of(call, kLogits), &labels = value_of(call, kLabels);
  const Lanes lanes     = lanes_along(logits.dims(), 1);
  const Targets targets = targets_of(call);
  std::vector<double> losses;
  double sum = 0;
  for (size_t row = 0; row < lanes.count(); ++row) {
    const int64_t label = targets.label[row];
    losses.push_back(label < 0 ? 0 : -targets.weight[row] * log_probability[lanes.at(row, static_cast<size_t>(label))]);
    sum += losses.back();
  }
  if (keeps_rows(call)) return array_of(logits.dtype(), labels.dims(), losses);
  return array_of(logits.dtype(), {}, std::vector{sum / targets.divisor});
}

Type loss_type(const OpCall& call) {
  const Type logits = tensor_operand(call, kLogits), labels = tensor_operand(call, kLabels);
  if (!keeps_rows(call)) return with_dims(logits, {});
  return has_rank(labels) ? with_dims(logits, labels.dims) : without_dims(logits);
}

std::vector<Type> infer_cross_entropy_grad(const OpCall& call) {
  check_cross_entropy(call);
  averages(call);
  return {tensor_operand(call, kLogits)};
}

Factors cross_entropy_grad_factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const CrossEntropyLetters text = cross_entropy_letters(call);
  return {.text = factor_text(call, {text.logits, text.labels}, {text.logits})};
}

std::vector<Sample> cross_entropy_samples() {
  return {{{}, {f32({4, 3}), i64({4})}, {{kLabels, Array::of_ints({4}, {0, 2, 1, 2})}}},
          {{{"count", 8}}, {f32({4, 3}), i64({4})}, {{kLabels, Array::of_ints({4}, {2, 0, 0, 1})}}},
          {{{"reduction", "sum"}}, {f32({2, 3, 2}), i64({2, 2})}, {{kLabels, Array::of_ints({2, 2}, {0, 1, 2, 0})}}}};
}

}  // namespace foreflow::ops
