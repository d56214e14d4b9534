// The optimizers of ai.onnx.preview.training: rate r[], update count t[], then n weights, n gradients and n of each
// state; results are n new weights and n of each new state.
#pragma once

#include <functional>

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops {

constexpr size_t kPreviewFirst = 2;  // operands before the weights

inline size_t preview_weights(const OpCall& call, size_t states) {
  const size_t kinds = 2 + states;
  if (call.arity() <= kPreviewFirst || (call.arity() - kPreviewFirst) % kinds != 0) {
    call.fail("has " + std::to_string(call.arity()) +
              " operands; a rate, a count, and then as many weights, gradients and " +
              "states of each kind would be right");
  }
  return (call.arity() - kPreviewFirst) / kinds;
}

// The operand that result `i` is the new value of: weights first, then states; gradients are not updated.
inline size_t preview_origin(size_t i, size_t weights) { return kPreviewFirst + (i < weights ? i : i + weights); }

inline std::vector<Type> infer_preview(const OpCall& call, size_t states) {
  const size_t weights = preview_weights(call, states);
  std::vector<Type> types;
  for (size_t i = 0; i < weights * (1 + states); ++i) types.push_back(tensor_operand(call, preview_origin(i, weights)));
  return types;
}

struct PreviewElement {
  double rate, count;  // r and t
  double weight, gradient;
  double state[2];
};

inline std::vector<Array> eval_preview(const OpCall& call, size_t states,
                                       const std::function<void(PreviewElement&)>& step) {
  const size_t weights = preview_weights(call, states);
  const double rate = value_of(call, 0).at(0), count = value_of(call, 1).at(0);
  std::vector<Array> results(weights * (1 + states));
  for (size_t w = 0; w < weights; ++w) {
    std::vector<std::vector<double>> numbers;  // weight, gradient, states
    for (size_t kind = 0; kind < 2 + states; ++kind)
      numbers.push_back(values_of<double>(value_of(call, kPreviewFirst + kind * weights + w)));
    for (size_t i = 0; i < numbers[0].size(); ++i) {
      PreviewElement element{rate, count, numbers[0][i], numbers[1][i], {}};
      for (size_t s = 0; s < states; ++s) element.state[s] = numbers[2 + s][i];
      step(element);
      numbers[0][i] = element.weight;
      for (size_t s = 0; s < states; ++s) numbers[2 + s][i] = element.state[s];
    }
    for (size_t kind = 0; kind < 1 + states; ++kind) {
      const Array& like           = value_of(call, preview_origin(kind * weights + w, weights));
      results[kind * weights + w] = array_of(like.dtype(), like.dims(), numbers[kind == 0 ? 0 : kind + 1]);
    }
  }
  return results;
}

inline Factors preview_factors(const OpCall&) { return {}; }

// One weight, and two of different shapes; states that are not negative; the count is `count`.
inline std::vector<OpDef::Sample> preview_samples(const Attributes& attributes, size_t states) {
  const auto sample = [&](const std::vector<Dims>& shapes, int64_t count) {
    Sample made{.attributes = attributes,
                .inputs     = {f32({}), i64({})},
                .values     = {{0, Array::scalar(0.1F)}, {1, Array::scalar(count)}},
                .outputs    = shapes.size() * (1 + states)};
    for (size_t kind = 0; kind < 2 + states; ++kind) {
      for (const Dims& dims : shapes) {
        if (kind > 1)
          made.values.emplace_back(
              made.inputs.size(),
              array_of(DType::f32, dims, std::vector<double>(static_cast<size_t>(element_count(dims)), 0.5)));
        made.inputs.push_back(f32(dims));
      }
    }
    return made;
  };
  return {sample({{2, 2}}, 0), sample({{2, 2}, {3}}, 3)};
}

}  // namespace foreflow::ops
