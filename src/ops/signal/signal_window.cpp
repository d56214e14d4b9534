#include "ops/signal/signal_window.h"

#include <cmath>
#include <numbers>

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops {

DType output_datatype(const OpCall& call) {
  const std::string text = call.attributes.string_or("output_datatype", "Float32");
  const auto dtype       = ir::find_dtype(text);
  if (!dtype) call.fail("output_datatype is \"" + text + "\"; a data type like Float32 would be right");
  return *dtype;
}

std::vector<Type> infer_window(const OpCall& call) {
  tensor_operand(call, 0);
  const int64_t size = call.known[0] == nullptr ? Dims::kUnknown : call.known[0]->to_ints().at(0);
  if (call.known[0] != nullptr && size < 0)
    call.fail("a window of " + std::to_string(size) + " numbers; 0 or more would be right");
  return {Type::tensor(output_datatype(call), {size})};
}

std::vector<Array> eval_window(const OpCall& call, const CosineSum& sum) {
  const Type type     = infer_window(call)[0];
  const bool periodic = call.attributes.int_or("periodic", 1) != 0;
  const double period = static_cast<double>(periodic ? type.dims[0] : type.dims[0] - 1);
  std::vector<double> window(static_cast<size_t>(type.dims[0]));
  for (size_t n = 0; n < window.size(); ++n) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(n) / period;
    window[n]         = period > 0 ? sum.a0 - sum.a1 * std::cos(turn) + sum.a2 * std::cos(2 * turn) : 1;
  }
  return {array_of(type.dtype, type.dims, window)};
}

Factors window_factors(const OpCall& call) { return {.text = factor_text(call, {}, {"."})}; }

Work window_work(const OpCall& call, std::span<const Type> outputs) {
  return computes(call, outputs, (2 * kTranscendental + 4) * count_of(outputs[0]));
}

std::vector<Sample> window_samples() {
  return {{{}, {i64({})}, {{0, Array::scalar(int64_t{8})}}},
          {{{"periodic", 0}, {"output_datatype", "Float64"}}, {i64({})}, {{0, Array::scalar(int64_t{5})}}}};
}

}  // namespace foreflow::ops
