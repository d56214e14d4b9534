#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::ones_like {

namespace {

constexpr auto kFormula = [](auto x) { return decltype(x){1}; };

}  // namespace

// The gradient of a sum of all elements, which is what a program's loss is: backward begins with it. Of the loss's own
// shape, so that it is split as the loss is.
OpDef row() {
  OpDef row  = unary<kFormula, 0, Accepts::floats>("OnesLike", "1");
  row.domain = "foreflow";
  row.role   = Role::loss_gradient;
  return row;
}

}  // namespace foreflow::ops::definitions::ones_like
