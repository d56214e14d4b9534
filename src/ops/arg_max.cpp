#include "ops/arg_extreme.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kBeats = [](auto a, auto b) { return a > b; };

}  // namespace

OpDef arg_max() {
  return arg_extreme<kBeats>(
      "ArgMax",
      "x[a,n,b] -> index of the largest element along `axis`, Int64, of the first one when several are largest");
}

}  // namespace foreflow::ops::definitions
