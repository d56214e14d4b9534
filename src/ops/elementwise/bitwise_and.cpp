#include "ops/common/bits.h"

namespace foreflow::ops::definitions::bitwise_and {

namespace {

constexpr auto kFormula = [](auto x, auto y) { return static_cast<decltype(x)>(bits(x) & bits(y)); };

}  // namespace

OpDef row() {
  OpDef row   = binary<kFormula, 1, Accepts::integers>("BitwiseAnd", "bits that are set in both x and y");
  row.samples = bit_samples;
  return row;
}

}  // namespace foreflow::ops::definitions::bitwise_and
