#include "ops/reduce.h"

namespace foreflow::ops::definitions {

OpDef reduce_min() {
  return reduction<[](auto zero) {
    using T = decltype(zero);
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }, [](auto sum, auto x) { return sum < x ? sum : x; }>("ReduceMin", "smallest over `axes` (all when there are none)");
}

}  // namespace foreflow::ops::definitions
