#include "ops/reduce.h"

namespace foreflow::ops::definitions {

OpDef reduce_max() {
  return reduction<[](auto zero) {
    using T = decltype(zero);
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  }, [](auto sum, auto x) { return x < sum ? sum : x; }>("ReduceMax", "largest over `axes` (all when there are none)");
}

}  // namespace foreflow::ops::definitions
