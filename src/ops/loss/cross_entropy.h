// Parts that SoftmaxCrossEntropyLoss and its gradient share. logits[n,c,..], labels[n,..], weights[c] (optional), and a
// number that is the attribute ignore_index as an operand (optional, as ONNX Runtime's form of these ops has it).
// Attributes: reduction ("mean", "sum", "none"), ignore_index, and `count`: what a mean divides by instead of the
// number (or the weight) of the local rows, so that the losses of the parts of a batch add up to the loss of the whole.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// Fails where logits, labels and weights do not fit together.
void check_cross_entropy(const OpCall& call);

bool averages(const OpCall& call);    // reduction "mean"; fails for an unknown reduction
bool keeps_rows(const OpCall& call);  // reduction "none"

// The data type that the attribute output_type names; nothing where it is absent.
std::optional<DType> output_dtype(const OpCall& call);

struct CrossEntropyLetters {
  std::string logits, labels, weights;
};
// The rows may be split unless they are averaged over their own number.
CrossEntropyLetters cross_entropy_letters(const OpCall& call);

// For each row: its class (-1: ignored), its weight (0: ignored).
struct Targets {
  std::vector<int64_t> label;
  std::vector<double> weight;
  double divisor = 1;  // of the sum over the rows
};
Targets targets_of(const OpCall& call);

// The same where the operands stand elsewhere: `ignored` is absent where ignore_index is only an attribute.
struct TargetOperands {
  size_t labels, weights;
  std::optional<size_t> ignored;
};
Targets targets_of(const OpCall& call, TargetOperands operands, int64_t classes);

// A mean divides by the local rows, so they must stay together: no attribute `count` states their number.
bool needs_all_rows(const OpCall& call);

// log(softmax(logits)) along the classes.
std::vector<double> log_probabilities(const Array& logits);

// The loss of log probabilities in the order of the logits, and its type: one number, or one for each row.
Array cross_entropy(const OpCall& call, const std::vector<double>& log_probability);
Type loss_type(const OpCall& call);

// Rules of the gradients of a cross entropy: they have the type of the logits, and follow the labels' dimensions.
std::vector<Type> infer_cross_entropy_grad(const OpCall& call);
Factors cross_entropy_grad_factors(const OpCall& call);

// Small applications, with labels.
std::vector<Sample> cross_entropy_samples();

}  // namespace foreflow::ops
