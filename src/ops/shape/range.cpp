#include <algorithm>
#include <cmath>
#include <functional>

#include "foreflow/ir/countable.h"
#include "ops/common/elementwise.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/operands.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::range {

namespace {

// How many numbers from start on, by steps of delta, lie before limit.
int64_t length(const OpCall& call) {
  const double start = number_of(call, value_of(call, 0)), limit = number_of(call, value_of(call, 1)),
               delta = number_of(call, value_of(call, 2));
  if (delta == 0) call.fail("delta is 0; any other number would be right");
  const double numbers = std::ceil((limit - start) / delta);
  if (!(numbers <= static_cast<double>(ir::kMostElements)))
    call.fail("gives more than 2^56 numbers, or none that can be counted");
  return numbers > 0 ? static_cast<int64_t>(numbers) : 0;
}

std::vector<Type> infer(const OpCall& call) {
  const std::vector<Type> limits{tensor_operand(call, 0), tensor_operand(call, 1), tensor_operand(call, 2)};
  const std::optional<DType> dtype = common_dtype(call, limits);
  if (!dtype) return {Type{}};
  const bool known =
      std::all_of(call.known.begin(), call.known.begin() + 3, [](const Array* array) { return array != nullptr; });
  return {Type::tensor(*dtype, {known ? length(call) : Dims::kUnknown})};
}

std::vector<Array> eval(const OpCall& call) {
  const DType dtype = value_of(call, 0).dtype();
  return {with_number_type(dtype, [&](auto zero) {
    using T       = decltype(zero);
    const T start = values_of<T>(value_of(call, 0))[0], delta = values_of<T>(value_of(call, 2))[0];
    std::vector<T> values(static_cast<size_t>(length(call)));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = wrapping(std::plus{}, start, wrapping(std::multiplies{}, static_cast<T>(i), delta));
    return array_of<T>(dtype, {static_cast<int64_t>(values.size())}, values);
  })};
}

std::vector<Sample> samples() {
  const auto ints   = [](int64_t number) { return Array::scalar(number); };
  const auto floats = [](float number) { return Array::scalar(number); };
  return {{{}, {i64({}), i64({}), i64({})}, {{0, ints(10)}, {1, ints(4)}, {2, ints(-2)}}},
          {{}, {f32({}), f32({}), f32({})}, {{0, floats(0)}, {1, floats(1)}, {2, floats(0.375F)}}}};
}

}  // namespace

OpDef row() {
  return {
      .name    = "Range",
      .doc     = "(start, limit, delta) -> [start, start + delta, ..] before limit",
      .infer   = infer,
      .factors = [](const OpCall& call) -> Factors { return {.text = factor_text(call, {}, {"."})}; },
      .work    = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 2 * count_of(outputs[0])); },
      .eval    = eval,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::range
