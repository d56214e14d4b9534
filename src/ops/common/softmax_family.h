// Shared by Softmax, LogSoftmax and SoftmaxGrad. Attributes: `axis` (default -1); `flatten`: all axes from `axis` on
// count as one, as they did before opset 13.
#pragma once

#include <cmath>

#include "ops/common/axes.h"
#include "ops/common/kernel.h"
#include "ops/common/lanes.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops {

inline bool flattens(const OpCall& call) { return call.attributes.int_or("flatten", 0) != 0; }

inline size_t softmax_axis(const OpCall& call, const Dims& dims) {
  const int64_t fallback = flattens(call) ? 1 : -1;
  // Flattening may begin behind the last axis: lanes of one element.
  if (flattens(call) && call.attributes.int_or("axis", fallback) == static_cast<int64_t>(dims.size()))
    return dims.size();
  return axis_attribute(call, dims.size(), fallback);
}

inline Lanes softmax_lanes(const OpCall& call, const Dims& dims) {
  const size_t axis = softmax_axis(call, dims);
  return flattens(call) ? lanes_from(dims, axis) : lanes_along(dims, axis);
}

inline std::vector<Type> infer_softmax(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (has_rank(x)) softmax_axis(call, x.dims);
  return {x};
}

// All operands and the result have the shape of x; the lanes stay whole.
inline Factors softmax_factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const Dims dims   = tensor_operand(call, 0).dims;
  const size_t axis = softmax_axis(call, dims);
  std::string text  = letters(dims.size());
  for (size_t i = axis; i < (flattens(call) ? dims.size() : axis + 1); ++i) text[i] = '.';
  return {.text = factor_text(call, std::vector<std::string>(call.arity(), text), {text})};
}

// `normalise` turns the elements of one lane into those of the result.
inline std::vector<Array> eval_softmax(const OpCall& call, void (*normalise)(std::vector<double>& lane)) {
  const Array& x    = value_of(call, 0);
  auto values       = values_of<double>(x);
  const Lanes lanes = softmax_lanes(call, x.dims());
  std::vector<double> lane(lanes.length);
  for (size_t n = 0; n < lanes.count(); ++n) {
    for (size_t i = 0; i < lanes.length; ++i) lane[i] = values[lanes.at(n, i)];
    normalise(lane);
    for (size_t i = 0; i < lanes.length; ++i) values[lanes.at(n, i)] = lane[i];
  }
  return {array_of(x.dtype(), x.dims(), values)};
}

// Maximum, difference, exponential, sum and quotient: five operations an element, in one kernel.
inline Work softmax_work(const OpCall& call, std::span<const Type> outputs) {
  return computes(call, outputs, 5 * count_of(outputs[0]));
}

// The type rule of the gradients: y, dy -> dx.
inline std::vector<Type> infer_softmax_grad(const OpCall& call) {
  common_dtype(call, std::vector{tensor_operand(call, 0), tensor_operand(call, 1)});
  return infer_softmax(call);
}
inline std::vector<Sample> softmax_grad_samples() {
  return {{{}, {f32({2, 4, 3}), f32({2, 4, 3})}}, {{{"axis", 1}, {"flatten", 1}}, {f32({4, 2, 3}), f32({4, 2, 3})}}};
}

// log(sum(exp(x))) without overflow.
double log_sum_exp(const std::vector<double>& x);

}  // namespace foreflow::ops
