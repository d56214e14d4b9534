#include "foreflow/ir/uses.h"

#include <gtest/gtest.h>

#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::ir::uses_test {
namespace {

using Numbers = std::vector<int32_t>;

TEST(DefUse, TellsWhoMakesAndWhoReadsEachValue) {
  const Module module = parse(
      "func @f(%x: Tensor[Float32, (4,), 1], %unused: Tensor[Float32, (4,), 1]) {\n"
      "  %twice = Add(%x, %x)\n"
      "  %a, %b = Split(%twice, axis=0, num_outputs=2)\n"
      "  %y = Mul(%a, %twice)\n"
      "  return %y, %a\n}\n",
      "f.distir", ops::table());
  const DefUse values(module.entry());  // of %x, %unused, %twice, %a, %b, %y
  EXPECT_EQ(values.maker, (Numbers{-1, -1, 0, 1, 1, 2}));
  EXPECT_EQ(values.uses, (Numbers{2, 0, 2, 2, 0, 1}));
  const auto readers = [&](size_t value) {
    return Numbers(values.readers[value].begin(), values.readers[value].end());
  };
  EXPECT_EQ(readers(0), (Numbers{0, 0})) << "an op that reads a value twice stands there twice";
  EXPECT_EQ(readers(1), Numbers{});
  EXPECT_EQ(readers(2), (Numbers{1, 2}));
  EXPECT_EQ(readers(3), Numbers{2}) << "a result of the function is used, but not read by an op";
  EXPECT_EQ(readers(5), Numbers{});
}

}  // namespace
}  // namespace foreflow::ir::uses_test
