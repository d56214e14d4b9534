#include "ops/reduce.h"
#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef reduce_l2() {
  return reduction<[](auto zero) { return zero; }, [](auto sum, auto x) { return wrapping(std::plus{}, sum, wrapping(std::multiplies{}, x, x)); },
                   [](auto sum, auto) { return std::sqrt(sum); }>("ReduceL2", "root of the sum of squares over `axes` (all when there are none)");
}

}  // namespace foreflow::ops::definitions
