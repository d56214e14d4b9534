// The reference kernel of recurrent layers and its gradient: a cell says what one step does, this walks the steps.
#pragma once

#include "foreflow/base/nth.h"
#include "ops/common/activation.h"
#include "ops/common/kernel.h"
#include "ops/recurrent/recurrent.h"

namespace foreflow::ops::recurrent {

// The weights of one direction, as a cell sees them.
template <class T>
struct Weights {
  std::span<const T> w, r, bias, peepholes;  // zeros where left out
  std::span<const Activation> activations;
  double clip   = 0;  // 0: none
  size_t inputs = 0, hidden = 0;
  bool linear_before_reset = false, input_forget = false;

  // Element j of gate g: w x + its bias.
  T of_input(size_t g, size_t j, std::span<const T> x) const {
    return dot(w.subspan(row(g, j) * inputs, inputs), x) + bias[row(g, j)];
  }
  // r h + its bias.
  T of_state(size_t g, size_t j, std::span<const T> h) const {
    return dot(r.subspan(row(g, j) * hidden, hidden), h) + bias[bias.size() / 2 + row(g, j)];
  }
  // Activation number f of the clipped number.
  T activate(size_t f, const T& x) const {
    const double at = value_of(x);
    if (clip == 0 || std::abs(at) <= clip) return activations[f](x);
    return activations[f](T(at > 0 ? clip : -clip));
  }

 private:
  size_t row(size_t g, size_t j) const { return g * hidden + j; }
};

template <class T>
using Operands = std::vector<std::vector<T>>;  // by Operand, all of them; empty where left out

// The operand of the products of a step: the states of all sequences as they are.
struct AsTheyAre {
  template <class T>
  void operator()(std::vector<std::vector<T>>&) const {}
};

// Y, the last state, the last cell; all that the kind has. Cell::step(weights, x, h, c) moves the state by one step.
// `prepare` changes the states of all sequences before a step reads them; a sequence that has ended has its last state
// for one more step, then zeros.
template <class Cell, class T, class Prepare = AsTheyAre>
Operands<T> run(const OpCall& call, const Operands<T>& operands, std::span<const int64_t> lengths,
                const Prepare& prepare = {}) {
  const Geometry geometry = geometry_of(call, Cell::kKind);
  const auto steps = static_cast<size_t>(geometry.steps), batch = static_cast<size_t>(geometry.batch),
             inputs = static_cast<size_t>(geometry.inputs), hidden = static_cast<size_t>(geometry.hidden),
             directions    = static_cast<size_t>(geometry.directions);
  const auto activations   = activations_of(call, Cell::kActivations, directions);
  const size_t per_cell    = activations.size() / directions;
  const auto for_direction = [&](size_t index, size_t d, size_t count) {
    const std::vector<T>& all = operands[index];
    return all.empty() ? std::span<const T>() : std::span<const T>(all).subspan(d * count, count);
  };
  const auto at = [&](size_t outer, size_t b, size_t outers) {
    return geometry.batch_first ? b * outers + outer : outer * batch + b;
  };
  const size_t rows = static_cast<size_t>(Cell::kKind.gates) * hidden;
  const std::vector<T> none(2 * rows + 3 * hidden, T(0));
  Operands<T> outputs{std::vector<T>(steps * directions * batch * hidden, T(0)),
                      std::vector<T>(directions * batch * hidden, T(0))};
  outputs.resize(Cell::kKind.outputs(), outputs[1]);
  for (size_t d = 0; d < directions; ++d) {
    Weights<T> weights{.w                   = for_direction(kW, d, rows * inputs),
                       .r                   = for_direction(kR, d, rows * hidden),
                       .bias                = for_direction(kBias, d, 2 * rows),
                       .peepholes           = {},
                       .activations         = std::span(activations).subspan(d * per_cell, per_cell),
                       .clip                = call.attributes.float_or("clip", 0),
                       .inputs              = inputs,
                       .hidden              = hidden,
                       .linear_before_reset = call.attributes.int_or("linear_before_reset", 0) != 0,
                       .input_forget        = call.attributes.int_or("input_forget", 0) != 0};
    if (Cell::kKind.has_cell) weights.peepholes = for_direction(kPeepholes, d, 3 * hidden);
    if (weights.bias.empty()) weights.bias = std::span(none).first(2 * rows);
    if (weights.peepholes.empty()) weights.peepholes = std::span(none).first(3 * hidden);
    std::vector<std::vector<T>> h, c;
    const auto initial = [&](size_t index, size_t b) {
      if (operands[index].empty()) return std::vector<T>(hidden, T(0));
      const auto from = operands[index].begin() + static_cast<std::ptrdiff_t>(at(d, b, directions) * hidden);
      return std::vector<T>(from, from + static_cast<std::ptrdiff_t>(hidden));
    };
    const auto end = [&](size_t b) {
      const auto state = static_cast<std::ptrdiff_t>(at(d, b, directions) * hidden);
      std::copy(h[b].begin(), h[b].end(), outputs[1].begin() + state);
      if (Cell::kKind.has_cell) std::copy(c[b].begin(), c[b].end(), outputs.back().begin() + state);
    };
    for (size_t b = 0; b < batch; ++b) {
      h.push_back(initial(kState, b));
      c.push_back(initial(kCell, b));
      if (lengths[b] == 0) end(b);
    }
    for (size_t step = 0; step < steps; ++step) {
      prepare(h);
      for (size_t b = 0; b < batch; ++b) {
        const auto length = static_cast<size_t>(lengths[b]);
        if (step >= length) {
          h[b].assign(hidden, T(0));
          continue;
        }
        const size_t t = runs_backwards(call, static_cast<int64_t>(d)) ? length - 1 - step : step;
        Cell::step(weights, std::span<const T>(operands[kX]).subspan(at(t, b, steps) * inputs, inputs), h[b], c[b]);
        const size_t place = geometry.batch_first ? (b * steps + t) * directions + d : (t * directions + d) * batch + b;
        std::copy(h[b].begin(), h[b].end(), outputs[0].begin() + static_cast<std::ptrdiff_t>(place * hidden));
        if (step + 1 == length) end(b);
      }
    }
  }
  return outputs;
}

// The steps of each sequence.
inline std::vector<int64_t> lengths_of(const OpCall& call, const Geometry& geometry) {
  if (!call.has(kLengths)) return std::vector<int64_t>(static_cast<size_t>(geometry.batch), geometry.steps);
  const std::vector<int64_t> lengths = value_of(call, kLengths).to_ints();
  for (const int64_t length : lengths) {
    if (length < 0 || length > geometry.steps) {
      call.fail("a sequence of " + std::to_string(length) + " steps; x has " + std::to_string(geometry.steps));
    }
  }
  return lengths;
}

// Returns the results of `run` in the data type of x.
inline std::vector<Array> results_of(const OpCall& call, const Geometry& geometry, const Operands<double>& outputs) {
  const DType dtype = tensor_operand(call, kX).dtype;
  std::vector<Array> results;
  for (size_t i = 0; i < call.outputs; ++i) {
    results.push_back(array_of(dtype, i == 0 ? geometry.y() : geometry.state(), outputs[i]));
  }
  return results;
}

template <class Cell>
std::vector<Array> eval(const OpCall& call) {
  const Geometry geometry = geometry_of(call, Cell::kKind);
  Operands<double> operands(kOperands);
  for (size_t i = 0; i < Cell::kKind.operands(); ++i) {
    if (call.has(i)) operands[i] = values_of<double>(value_of(call, i));
  }
  return results_of(call, geometry, run<Cell, double>(call, operands, lengths_of(call, geometry)));
}

template <class Cell>
std::vector<Array> eval_gradient(const OpCall& call) {
  const Geometry geometry = geometry_of(call, Cell::kKind);
  Tape tape;
  Operands<Recorded> operands(kOperands);
  for (const size_t i : differentiable(Cell::kKind)) {
    if (!call.has(i)) continue;
    for (const double value : values_of<double>(value_of(call, i))) operands[i].push_back(tape.variable(value));
  }
  const auto outputs = run<Cell, Recorded>(call, operands, lengths_of(call, geometry));
  std::vector<Recorded> reached;
  std::vector<double> seeds;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const size_t operand = Cell::kKind.operands() + i;
    if (!call.has(operand)) continue;
    const auto slopes = values_of<double>(value_of(call, operand));
    reached.insert(reached.end(), outputs[i].begin(), outputs[i].end());
    seeds.insert(seeds.end(), slopes.begin(), slopes.end());
  }
  const std::vector<double> slopes = tape.backward(reached, seeds);
  const DType dtype                = value_of(call, kX).dtype();
  std::vector<Array> results;
  for (const size_t i : differentiable(Cell::kKind)) {
    std::vector<double> gradient;
    for (const Recorded& number : operands[i]) gradient.push_back(nth(slopes, number.place));
    results.push_back(array_of(dtype, call.has(i) ? value_of(call, i).dims() : Dims{0}, gradient));
  }
  return results;
}

// The rows of the table that a cell gives.
template <class Cell>
OpDef layer(std::string_view name, std::string_view doc) {
  return {
      .name          = name,
      .doc           = doc,
      .whole_because = "each step needs the one before it",
      .infer         = [](const OpCall& call) { return infer(call, Cell::kKind); },
      .factors       = [](const OpCall& call) { return factors(call, Cell::kKind); },
      .work    = [](const OpCall& call, std::span<const Type> outputs) { return work(call, outputs, Cell::kKind); },
      .eval    = eval<Cell>,
      .grad    = [](GradBuilder& builder) { grad(builder, Cell::kKind, Cell::kGradient); },
      .samples = [] { return samples(Cell::kKind); },
  };
}

// The layer again, then twice its arithmetic: by the weights and by the inputs.
template <class Cell>
OpDef layer_gradient(std::string_view doc) {
  return {
      .name          = Cell::kGradient,
      .doc           = doc,
      .domain        = "foreflow",
      .whole_because = "each step needs the one before it",
      .infer         = [](const OpCall& call) { return infer_gradient(call, Cell::kKind); },
      .factors       = [](const OpCall& call) { return gradient_factors(call, Cell::kKind); },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            Work all  = work(call, outputs, Cell::kKind);
            all.flops = all.flops * 3.0;
            all.kernels *= 2;
            return all;
          },
      .eval    = eval_gradient<Cell>,
      .samples = [] { return gradient_samples(Cell::kKind); },
  };
}

}  // namespace foreflow::ops::recurrent
