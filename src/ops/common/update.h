// Shared by optimizers, whose weights and gradients are tensors of the same shape, or tuples of such tensors.
#pragma once

#include <array>

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/tuples.h"
#include "ops/common/work.h"

namespace foreflow::ops {

inline double learning_rate(const OpCall& call, double fallback) { return call.attributes.float_or("lr", fallback); }

// The type of the updated weight: that of the first operand. Fails where a shape differs.
Type infer_update(const OpCall& call, const std::vector<Type>& operands);

// w - lr * dw.
Array descended(const OpCall& call, const Array& weight, const Array& gradient, double rate);

// An optimizer of one weight. Operands: w, dw, its states (moments), and last, for mixed precision (Micikevicius et
// al., 2018), the master weight: w in higher precision, which the step updates. Results: w', states', master'.
constexpr size_t kMaxStates = 2;
struct Element {
  double weight, gradient;
  std::array<double, kMaxStates> state;
};

bool has_master(const OpCall& call, size_t states);
std::vector<Type> infer_step(const OpCall& call, size_t states);
Factors step_factors(const OpCall& call);
// `flops` an element, and the rounding of the master weight.
Work step_work(const OpCall& call, std::span<const Type> outputs, double flops);
// `step` moves the weight and the states of one element.
std::vector<Array> eval_step(const OpCall& call, size_t states, const std::function<void(Element&)>& step);
// Samples without and with a master weight of a Float16 parameter; states that are not negative.
std::vector<Sample> step_samples(const Attributes& attributes, size_t states);

}  // namespace foreflow::ops
