#include "ops/common/bits.h"

namespace foreflow::ops::definitions::bitwise_not {

namespace {

constexpr auto kFormula = [](auto x) { return static_cast<decltype(x)>(~bits(x)); };

}  // namespace

OpDef row() {
  OpDef row   = unary<kFormula, 1, Accepts::integers>("BitwiseNot", "bits that are not set in x");
  row.samples = [] { return unary_samples(DType::i32); };
  return row;
}

}  // namespace foreflow::ops::definitions::bitwise_not
