// The squared error of the DistIR authors' programs: Loss and LossGrad. Attribute `count` is the divisor N; without it
// N is the first dimension, and that dimension must stay whole.
#pragma once

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops {

inline std::vector<Type> infer_square(const OpCall& call) {
  const Type x = tensor_operand(call, 0), y = tensor_operand(call, 1);
  common_dtype(call, std::vector{x, y});
  if (has_dims(x) && has_dims(y) && x.dims != y.dims) {
    call.fail("operands are " + to_string(x.dims) + " and " + to_string(y.dims) + "; they should have the same shape");
  }
  return {x};
}

inline Factors square_factors(const OpCall& call) {
  if (!splittable(call)) return {};
  std::string all = letters(tensor_operand(call, 0).dims.size());
  if (call.attributes.find("count") == nullptr && !all.empty()) all[0] = '.';
  return {.text = factor_text(call, {all, all}, {all})};
}

// formula(x - y, N) for every element.
inline std::vector<Array> eval_square(const OpCall& call, double (*formula)(double difference, double n)) {
  const Array& x     = value_of(call, 0);
  const auto ys      = values_of<double>(value_of(call, 1));
  const double count = call.attributes.float_or("count", x.dims().empty() ? 1 : static_cast<double>(x.dims()[0]));
  auto values        = values_of<double>(x);
  for (size_t i = 0; i < values.size(); ++i) values[i] = formula(values[i] - ys[i], count);
  return {array_of(x.dtype(), x.dims(), values)};
}

inline Work square_work(const OpCall& call, std::span<const Type> outputs) {
  return computes(call, outputs, 3 * count_of(outputs[0]));
}

inline std::vector<Sample> square_samples() {
  return {{{}, {f32({4, 2}), f32({4, 2})}}, {{{"count", 8}}, {f32({4, 2}), f32({4, 2})}}};
}

}  // namespace foreflow::ops
