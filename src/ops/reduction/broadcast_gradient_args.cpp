#include "ops/common/letters.h"
#include "ops/common/op.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::broadcast_gradient_args {

namespace {

using Axes = std::vector<int64_t>;

// The axes of the common shape along which an operand was stretched, from the last to the first.
std::pair<Axes, Axes> stretched(const OpCall& call) {
  const auto a = value_of(call, 0).to_ints(), b = value_of(call, 1).to_ints();
  const size_t rank  = std::max(a.size(), b.size());
  const auto missing = [rank](const Axes& dims, size_t axis) { return axis + dims.size() < rank; };
  const auto dim     = [&](const Axes& dims, size_t axis) {
    return missing(dims, axis) ? 1 : dims[axis + dims.size() - rank];
  };
  Axes of_a, of_b;
  for (size_t axis = rank; axis-- > 0;) {
    const int64_t x = dim(a, axis), y = dim(b, axis);
    if (x != y && x != 1 && y != 1)
      call.fail("dimensions " + std::to_string(x) + " and " + std::to_string(y) + " do not broadcast");
    if (missing(a, axis) || (x == 1 && y != 1)) of_a.push_back(static_cast<int64_t>(axis));
    if (missing(b, axis) || (y == 1 && x != 1)) of_b.push_back(static_cast<int64_t>(axis));
  }
  return {of_a, of_b};
}

std::vector<Array> eval(const OpCall& call) {
  const auto axes = stretched(call);
  const auto list = [](const Axes& all) { return Array::of_ints({static_cast<int64_t>(all.size())}, all); };
  std::vector<Array> results{list(axes.first), list(axes.second)};
  results.resize(call.outputs);
  return results;
}

std::vector<Type> infer(const OpCall& call) {
  if (call.arity() != 2) call.fail("has " + std::to_string(call.arity()) + " operands; two shapes would be right");
  if (call.outputs > 2)
    call.fail("gives the axes of its two operands, not " + std::to_string(call.outputs) + " results");
  const bool known = call.known[0] != nullptr && call.known[1] != nullptr;
  if (!known) return std::vector<Type>(call.outputs, i64({Dims::kUnknown}));
  std::vector<Type> types;
  for (const Array& axes : eval(call)) types.push_back(axes.type());
  return types;
}

}  // namespace

OpDef row() {
  return {
      .name    = "BroadcastGradientArgs",
      .doc     = "shapes a[i], b[j] -> the axes over which the gradient of a, and of b, of an elementwise op is summed",
      .domain  = "com.microsoft",
      .infer   = infer,
      .factors = [](const OpCall&) -> Factors { return {}; },
      .work    = nothing,
      .eval    = eval,
      .samples =
          [] {
            const auto shape = [](size_t index, const Axes& dims) {
              return std::pair{index, Array::of_ints({static_cast<int64_t>(dims.size())}, dims)};
            };
            return std::vector<Sample>{{{}, {i64({3}), i64({1})}, {shape(0, {2, 1, 4}), shape(1, {4})}, 2},
                                       {{}, {i64({2}), i64({3})}, {shape(0, {1, 4}), shape(1, {2, 3, 1})}, 2},
                                       {{}, {i64({2}), i64({2})}, {shape(0, {1, 3}), shape(1, {1, 3})}, 1}};
          },
  };
}

}  // namespace foreflow::ops::definitions::broadcast_gradient_args
