// The parts that RNN, GRU and LSTM share: operands, shapes, factors and work. d directions, s steps, b sequences (the
// batch), i numbers a step, h numbers of state.
#pragma once

#include "ops/common/letters.h"
#include "ops/common/tape.h"
#include "ops/common/work.h"

namespace foreflow::ops::recurrent {

// x[s,b,i], w[d,gates*h,i], r[d,gates*h,h], bias[d,2*gates*h], lengths[b], initial h[d,b,h]; LSTM alone: initial
// c[d,b,h], peepholes[d,3*h]. With layout = 1, b comes first in x, y and the states.
enum Operand : size_t { kX, kW, kR, kBias, kLengths, kState, kCell, kPeepholes, kOperands };

// The differences between the kinds of layers.
struct Kind {
  int64_t gates;
  bool has_cell;  // LSTM
  size_t operands() const { return has_cell ? kOperands : kState + 1; }
  size_t outputs() const { return has_cell ? 3 : 2; }
};

struct Geometry {
  int64_t directions = 1;
  int64_t steps = Dims::kUnknown, batch = Dims::kUnknown, inputs = Dims::kUnknown, hidden = Dims::kUnknown;
  bool batch_first = false;

  Dims sequence(int64_t width) const;  // of x
  Dims y() const;
  Dims state() const;
};

// Unknown dimensions where the operands' are; fails where they contradict each other.
Geometry geometry_of(const OpCall& call, const Kind& kind);

// Returns true if direction number d runs from the end.
bool runs_backwards(const OpCall& call, int64_t d);

// y[s,d,b,h], the last state[d,b,h], the last cell[d,b,h].
std::vector<Type> infer(const OpCall& call, const Kind& kind);

// Sequences are independent of each other; all other dimensions depend on each other.
Factors factors(const OpCall& call, const Kind& kind);

// One product for all inputs, then one kernel a step.
Work work(const OpCall& call, std::span<const Type> outputs, const Kind& kind);

// The gradient op: the operands of the layer, then the gradients of its outputs -> the gradients of its operands
// without `lengths`.
std::vector<size_t> differentiable(const Kind& kind);
std::vector<Type> infer_gradient(const OpCall& call, const Kind& kind);
Factors gradient_factors(const OpCall& call, const Kind& kind);

// Emits the gradient op of that name.
void grad(GradBuilder& builder, const Kind& kind, std::string_view name);

// Layers of two directions, of lengths, with every operand and with none.
std::vector<Sample> samples(const Kind& kind);
std::vector<Sample> gradient_samples(const Kind& kind);

}  // namespace foreflow::ops::recurrent
