#include "ops/common/reduce.h"

namespace foreflow::ops::definitions::reduce_max {

namespace {

constexpr auto kStart = [](auto zero) {
  using T = decltype(zero);
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
};
constexpr auto kCombine = [](auto sum, auto x) { return x < sum ? sum : x; };

}  // namespace

OpDef row() {
  OpDef row = reduction<kStart, kCombine>("ReduceMax", "largest over `axes` (all when there are none)");
  row.grad  = grad_of_extreme;
  return row;
}

}  // namespace foreflow::ops::definitions::reduce_max
