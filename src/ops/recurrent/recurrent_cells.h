// One step of each recurrent layer, in the words of ONNX's definition.
#pragma once

#include <array>

#include "ops/recurrent/recurrent_kernel.h"

namespace foreflow::ops::recurrent {

// h = f(w x + r h)
struct RnnCell {
  static constexpr Kind kKind{.gates = 1, .has_cell = false};
  static constexpr std::array<std::string_view, 1> kActivations{"Tanh"};
  static constexpr std::string_view kGradient = "RNNGrad";

  template <class T>
  static void step(const Weights<T>& weights, std::span<const T> x, std::vector<T>& h, std::vector<T>&) {
    std::vector<T> next;
    for (size_t j = 0; j < h.size(); ++j) {
      next.push_back(weights.activate(0, weights.of_input(0, j, x) + weights.of_state(0, j, h)));
    }
    h = next;
  }
};

// z, r = f(w x + r h), candidate = g(w x + r (r * h)) or, where the reset comes after the product, g(w x + r * (r h));
// h = (1 - z) * candidate + z * h
struct GruCell {
  static constexpr Kind kKind{.gates = 3, .has_cell = false};
  static constexpr std::array<std::string_view, 2> kActivations{"Sigmoid", "Tanh"};
  static constexpr std::string_view kGradient = "GRUGrad";

  template <class T>
  static void step(const Weights<T>& weights, std::span<const T> x, std::vector<T>& h, std::vector<T>&) {
    const auto gate = [&](size_t g, size_t j) {
      return weights.activate(0, weights.of_input(g, j, x) + weights.of_state(g, j, h));
    };
    std::vector<T> reset, kept;
    for (size_t j = 0; j < h.size(); ++j) {
      reset.push_back(gate(1, j));
      kept.push_back(reset[j] * h[j]);
    }
    std::vector<T> next;
    for (size_t j = 0; j < h.size(); ++j) {
      const T recurrent =
          weights.linear_before_reset ? reset[j] * weights.of_state(2, j, h) : weights.of_state(2, j, kept);
      const T candidate = weights.activate(1, weights.of_input(2, j, x) + recurrent), z = gate(0, j);
      next.push_back((T(1) - z) * candidate + z * h[j]);
    }
    h = next;
  }
};

// i, f = f(w x + r h + p * c), c = f * c + i * g(w x + r h), o = f(w x + r h + p * c), h = o * h(c); gates in the order
// i, o, f, c, peepholes i, o, f
struct LstmCell {
  static constexpr Kind kKind{.gates = 4, .has_cell = true};
  static constexpr std::array<std::string_view, 3> kActivations{"Sigmoid", "Tanh", "Tanh"};
  static constexpr std::string_view kGradient = "LSTMGrad";

  template <class T>
  static void step(const Weights<T>& weights, std::span<const T> x, std::vector<T>& h, std::vector<T>& c) {
    const auto gate = [&](size_t g, size_t j) { return weights.of_input(g, j, x) + weights.of_state(g, j, h); };
    const auto peep = [&](size_t p, size_t j) { return weights.peepholes[p * h.size() + j] * c[j]; };
    std::vector<T> next;
    for (size_t j = 0; j < h.size(); ++j) {
      const T in     = weights.activate(0, gate(0, j) + peep(0, j));
      const T forget = weights.input_forget ? T(1) - in : weights.activate(0, gate(2, j) + peep(2, j));
      c[j]           = forget * c[j] + in * weights.activate(1, gate(3, j));
      next.push_back(weights.activate(0, gate(1, j) + peep(1, j)) * weights.activations[2](c[j]));
    }
    h = next;
  }
};

}  // namespace foreflow::ops::recurrent
