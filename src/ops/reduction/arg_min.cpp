#include "ops/reduction/arg_extreme.h"

namespace foreflow::ops::definitions::arg_min {

namespace {

constexpr auto kBeats = [](auto a, auto b) { return a < b; };

}  // namespace

OpDef row() {
  return arg_extreme<kBeats>(
      "ArgMin",
      "x[a,n,b] -> index of the smallest element along `axis`, Int64, of the first one when several are smallest");
}

}  // namespace foreflow::ops::definitions::arg_min
