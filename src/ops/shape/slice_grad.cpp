#include <numeric>

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/table_rows.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::slice_grad {

namespace {

// Operands: dy, the shape of x, starts, ends, axes, steps.
constexpr size_t kShape = 1, kLimits = 2;

std::vector<Type> infer(const OpCall& call) {
  const Type dy = tensor_operand(call, 0);
  if (call.arity() < kLimits + 2)
    call.fail("has " + std::to_string(call.arity()) + " operands; dy, shape, starts and ends at least would be right");
  if (call.known[kShape] == nullptr)
    return {has_rank(dy) ? with_dims(dy, Dims(dy.dims.size(), Dims::kUnknown)) : without_dims(dy)};
  return {with_dims(dy, Dims(call.known[kShape]->to_ints()))};
}

// Slices the numbers of the elements, to learn which ones were taken.
std::vector<Array> eval(const OpCall& call) {
  const Array& dy = value_of(call, 0);
  const Dims dims(value_of(call, kShape).to_ints());
  std::vector<int64_t> numbers(static_cast<size_t>(element_count(dims)));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  const Array all = Array::of_ints(dims, numbers);
  std::vector<const Array*> operands{&all};
  for (size_t i = kLimits; i < call.arity(); ++i) operands.push_back(call.known[i]);
  const Array taken = evaluate("Slice", {}, operands)[0];
  if (taken.dims() != dy.dims())
    call.fail("dy is " + to_string(dy.dims()) + "; the slice is " + to_string(taken.dims()));
  Array dx(dy.dtype(), dims);
  put(dx, taken.to_ints(), dy);
  return {dx};
}

}  // namespace

OpDef row() {
  return {
      .name     = "SliceGrad",
      .doc      = "dy, shape, starts, ends, axes, steps -> dx of `shape`: dy where Slice took it, else 0",
      .domain   = "com.microsoft",
      .role     = Role::compute,
      .additive = true,
      .infer    = infer,
      .factors  = [](const OpCall&) -> Factors { return {}; },
      .work     = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); },
      .eval     = eval,
      .samples =
          [] {
            const auto list = [](size_t index, const std::vector<int64_t>& values) {
              return std::pair{index, Array::of_ints({static_cast<int64_t>(values.size())}, values)};
            };
            const Type one = i64({1});
            return std::vector<Sample>{
                {{},
                 {f32({2, 2}), i64({2}), one, one, one, one},
                 {list(1, {2, 5}), list(2, {1}), list(3, {-1}), list(4, {1}), list(5, {2})}},
                {{}, {f32({2, 3}), i64({2}), one, one}, {list(1, {4, 3}), list(2, {1}), list(3, {3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::slice_grad
