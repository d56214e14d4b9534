#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef reciprocal() {
  OpDef row = unary<[](auto x) { return 1 / static_cast<double>(x); }, 1>("Reciprocal", "1 / x");
  row.samples = positive_samples;
  return row;
}

}  // namespace foreflow::ops::definitions
