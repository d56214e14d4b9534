#include "ops/elementwise.h"
#include "ops/reduce.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kStart   = [](auto zero) { return zero; };
constexpr auto kCombine = [](auto sum, auto x) {
  return wrapping(std::plus{}, sum, wrapping(std::multiplies{}, x, x));
};
constexpr auto kFinish = [](auto sum, auto) { return std::sqrt(sum); };

}  // namespace

OpDef reduce_l2() {
  return reduction<kStart, kCombine, kFinish>("ReduceL2",
                                              "root of the sum of squares over `axes` (all when there are none)");
}

}  // namespace foreflow::ops::definitions
