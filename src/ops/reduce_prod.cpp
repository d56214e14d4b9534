#include "ops/reduce.h"
#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef reduce_prod() {
  return reduction<[](auto) { return 1; }, [](auto product, auto x) { return wrapping(std::multiplies{}, product, x); }>("ReduceProd", "product over `axes` (all when there are none)");
}

}  // namespace foreflow::ops::definitions
