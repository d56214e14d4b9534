// Float8 E4M3 (Micikevicius et al., "FP8 Formats for Deep Learning", 2022): 1 sign, 4 exponent and 3 fraction bits,
// bias 7.
#include "foreflow/ir/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace foreflow::ir::half_test {
namespace {

TEST(Float8, HasTheNumbersOfTheFormat) {
  EXPECT_EQ(float8_to_float(0x00), 0);
  EXPECT_EQ(float8_to_float(0x01), std::ldexp(1.0F, -9));  // the smallest
  EXPECT_EQ(float8_to_float(0x08), std::ldexp(1.0F, -6));  // the smallest with a full fraction
  EXPECT_EQ(float8_to_float(0x38), 1);
  EXPECT_EQ(float8_to_float(0x7e), 448);  // the largest
  EXPECT_EQ(float8_to_float(0xfe), -448);
  EXPECT_TRUE(std::isnan(float8_to_float(0x7f)));
}

TEST(Float8, KeepsEveryNumberThatItHas) {
  for (int bits = 0; bits < 255; ++bits)  // 255 is NaN, as 127 is, with a sign that a NaN does not keep
    EXPECT_EQ(float_to_float8(float8_to_float(static_cast<uint8_t>(bits))), bits) << bits;
}

TEST(Float8, RoundsToTheNearestAndTiesToEven) {
  for (int bits = 0; bits < 0x7e; ++bits) {
    const float low    = float8_to_float(static_cast<uint8_t>(bits)),
                high   = float8_to_float(static_cast<uint8_t>(bits + 1));
    const float middle = (low + high) / 2;  // exact
    EXPECT_EQ(float_to_float8(middle), bits + bits % 2) << middle;
    EXPECT_EQ(float_to_float8(std::nextafter(middle, low)), bits) << middle;
    EXPECT_EQ(float_to_float8(std::nextafter(middle, high)), bits + 1) << middle;
  }
}

TEST(Float8, SaturatesBeyondItsLargest) {
  EXPECT_EQ(float_to_float8(1e6F), 0x7e);
  EXPECT_EQ(float_to_float8(-std::numeric_limits<float>::infinity()), 0xfe);
}

}  // namespace
}  // namespace foreflow::ir::half_test
