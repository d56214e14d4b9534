// Types of 8 and 4 bits: their bytes in memory, and their numbers in text.
#include <gtest/gtest.h>

#include "foreflow/ir/narrow.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::ir::narrow_types_test {
namespace {

TEST(NarrowTypes, TakeTheirBitsInMemory) {
  EXPECT_EQ(bytes_of(Type::tensor(DType::i4, {3, 5})), Bytes(8));
  EXPECT_EQ(bytes_of(Type::tensor(DType::f4e2m1, {1024})), Bytes(512));
  EXPECT_EQ(bytes_of(Type::tensor(DType::f8e8m0, {32})), Bytes(32));
  EXPECT_EQ(bytes_of(Type::scalar(DType::u4)), Bytes(1));
}

TEST(NarrowTypes, AreWrittenAsNumbers) {
  const std::string text =
      "func @f(%x: Tensor[Float8E5M2, (2,)]) {\n  %a = Constant[value = Int4(3,)[-8, 7, 0]]()\n"
      "  %b = Constant[value = Float4E2M1(2,)[-1.5, 6]]()\n  %c = Constant[value = Float8E8M0(2,)[0.25, 64]]()\n"
      "  %d = Constant[value = UInt4(1,)[15]]()\n  return %a, %b, %c, %d\n}\n";
  EXPECT_EQ(print(parse(text, "m", ops::table())), text);
}

// Every pattern of bits is the nearest to its own number.
TEST(NarrowTypes, KeepTheNumbersThatTheyHave) {
  for (int i = 0; i < kDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!is_narrow_float(dtype)) continue;
    for (int bits = 0; bits < 1 << bits_of(dtype); ++bits) {
      const float number = narrow_to_float(dtype, static_cast<uint8_t>(bits));
      if (number != number) continue;  // several patterns are NaN
      EXPECT_EQ(float_to_narrow(dtype, number, Beyond::overflows), bits) << name(dtype) << " " << number;
    }
  }
}

}  // namespace
}  // namespace foreflow::ir::narrow_types_test
