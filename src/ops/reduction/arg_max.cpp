#include "ops/reduction/arg_extreme.h"

namespace foreflow::ops::definitions::arg_max {

namespace {

constexpr auto kBeats = [](auto a, auto b) { return a > b; };

}  // namespace

OpDef row() {
  return arg_extreme<kBeats>(
      "ArgMax",
      "x[a,n,b] -> index of the largest element along `axis`, Int64, of the first one when several are largest");
}

}  // namespace foreflow::ops::definitions::arg_max
