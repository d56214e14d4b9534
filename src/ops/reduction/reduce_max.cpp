#include "ops/common/reduce.h"

namespace foreflow::ops::definitions::reduce_max {

namespace {

constexpr auto kStart = [](auto zero) {
  using T = decltype(zero);
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
};
constexpr auto kFalse   = [](auto zero) { return zero; };
constexpr auto kCombine = [](auto sum, auto x) { return x < sum ? sum : x; };

}  // namespace

OpDef row() {
  OpDef row = reduction<kStart, kCombine>("ReduceMax", "largest over `axes` (all when there are none)");
  row.eval  = [](const OpCall& call) {
    const bool truths = value_of(call, 0).dtype() == DType::boolean;
    return truths ? eval_reduction<kFalse, kCombine, kNoFinish>(call)
                   : eval_reduction<kStart, kCombine, kNoFinish>(call);
  };
  row.grad = grad_of_extreme;
  return row;
}

}  // namespace foreflow::ops::definitions::reduce_max
