#include "ops/elementwise.h"
#include "ops/reduce.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kStart   = [](auto) { return 1; };
constexpr auto kCombine = [](auto product, auto x) { return wrapping(std::multiplies{}, product, x); };

}  // namespace

OpDef reduce_prod() {
  return reduction<kStart, kCombine>("ReduceProd", "product over `axes` (all when there are none)");
}

}  // namespace foreflow::ops::definitions
