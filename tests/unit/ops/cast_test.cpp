// Conversions between data types. Float8 is E4M3 (Micikevicius et al., 2022): 4 bits of exponent, 3 of fraction, no
// infinity.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ops/common/kernel.h"
#include "unit/ops/apply.h"

namespace foreflow::test::cast_test {
namespace {

using ir::Array;
using ir::Attributes;
using ir::DType;

constexpr std::array kTypes = {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8,
                               DType::i64, DType::i32, DType::i8,  DType::u8,   DType::boolean};
constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

Array array_in(DType dtype, const std::vector<double>& values) {
  return ops::array_of(dtype, {static_cast<int64_t>(values.size())}, values);
}

Attributes to(DType dtype) { return {{"to", std::string(name(dtype))}}; }

std::vector<double> rounded(const std::vector<double>& values, const Attributes& attributes) {
  return ops::values_of<double>(apply("Cast", attributes, {array_in(DType::f64, values)}));
}

TEST(Cast, KeepsNumbersThatBothTypesHave) {
  for (const DType from : kTypes) {
    for (const DType target : kTypes) {
      const bool small                 = from == DType::boolean || target == DType::boolean;
      const std::vector<double> values = small ? std::vector<double>{0, 1} : std::vector<double>{0, 1, 2, 7, 16, 104};
      EXPECT_EQ(apply("Cast", to(target), {array_in(from, values)}), array_in(target, values))
          << name(from) << " to " << name(target);
    }
  }
}

TEST(Cast, RoundsToTheNearestEvenFloat8) {
  // Between 16 and 32 the distance is 2; the smallest number is 2^-9.
  EXPECT_EQ(rounded({17, 19, 18.9, -17, 0x1p-9, 0x1p-10, 0x1.8p-10, 0x1.8p-9}, to(DType::f8)),
            (std::vector<double>{16, 20, 18, -16, 0x1p-9, 0, 0x1p-9, 0x1p-8}));
}

TEST(Cast, SaturatesAtTheLargestFloat8) {
  EXPECT_EQ(rounded({448, 464, 465, 1e6, kInfinity, -kInfinity}, to(DType::f8)),
            (std::vector<double>{448, 448, 448, 448, 448, -448}));
  EXPECT_TRUE(std::isnan(rounded({kNan}, to(DType::f8))[0]));
}

TEST(Cast, MakesNanOfWhatFloat8CannotHoldWhereItMustNotSaturate) {
  Attributes attributes = to(DType::f8);
  attributes.set("saturate", int64_t{0});
  const auto values = rounded({448, 464, 465, -1e6, kInfinity}, attributes);
  EXPECT_EQ(values[0], 448);
  EXPECT_EQ(values[1], 448);  // halfway to 480, which would be the next: the even one is 448
  for (size_t i = 2; i < values.size(); ++i) EXPECT_TRUE(std::isnan(values[i])) << i;
}

// The tables of ONNX's Cast (opset 24): the largest number, what lies beyond without saturation, and the smallest one.
TEST(Cast, KnowsTheOtherNarrowFloats) {
  struct Narrow {
    DType dtype;
    double largest, beyond, smallest;
  };
  for (const auto& [dtype, largest, beyond, smallest] :
       {Narrow{DType::f8e4m3fnuz, 240, kNan, 0x1p-10}, Narrow{DType::f8e5m2, 57344, kInfinity, 0x1p-16},
        Narrow{DType::f8e5m2fnuz, 57344, kNan, 0x1p-17}, Narrow{DType::f4e2m1, 6, 6, 0.5}}) {
    SCOPED_TRACE(name(dtype));
    EXPECT_EQ(rounded({1e6, -1e6, kInfinity, smallest, smallest / 4, -1.5}, to(dtype)),
              (std::vector<double>{largest, -largest, largest, smallest, 0, -1.5}));
    Attributes overflows = to(dtype);
    overflows.set("saturate", int64_t{0});
    const double got = rounded({1e6}, overflows)[0];
    EXPECT_TRUE(got == beyond || (std::isnan(got) && std::isnan(beyond))) << got;
    EXPECT_EQ(rounded({largest}, overflows)[0], largest);
    EXPECT_EQ(std::isnan(rounded({kNan}, to(dtype))[0]), dtype != DType::f4e2m1);
  }
  EXPECT_FALSE(std::signbit(rounded({-0.0}, to(DType::f8e5m2fnuz))[0]));
  EXPECT_TRUE(std::signbit(rounded({-0.0}, to(DType::f8e5m2))[0]));
}

TEST(Cast, RoundsE8M0ToAPowerOfTwo) {
  Attributes mode = to(DType::f8e8m0);
  EXPECT_EQ(rounded({0, 1, 1.25, 3, 0x1.8p127, kInfinity}, mode),
            (std::vector<double>{0x1p-127, 1, 2, 4, 0x1p127, 0x1p127}));
  EXPECT_EQ(rounded({1.25, 3, 3.9}, mode.set("round_mode", std::string("down"))), (std::vector<double>{1, 2, 2}));
  EXPECT_EQ(rounded({1.25, 3, 3.9}, mode.set("round_mode", std::string("nearest"))), (std::vector<double>{1, 4, 4}));
  EXPECT_TRUE(std::isnan(rounded({0}, mode.set("saturate", int64_t{0}))[0]));
}

TEST(Cast, KeepsTheLowestFourBits) {
  EXPECT_EQ(rounded({7, 8, -9, 15, 16}, to(DType::i4)), (std::vector<double>{7, -8, 7, -1, 0}));
  EXPECT_EQ(rounded({7, 8, -9, 15, 16}, to(DType::u4)), (std::vector<double>{7, 8, 7, 15, 0}));
}

TEST(Cast, OverflowsHalvesToInfinity) {
  EXPECT_EQ(rounded({65504, 65519, 65520, -1e6}, to(DType::f16)),
            (std::vector<double>{65504, 65504, kInfinity, -kInfinity}));
  EXPECT_EQ(rounded({1e6, 256.9, 257, 3e38}, to(DType::bf16)),
            (std::vector<double>{999424, 256, 256, rounded({3e38}, to(DType::bf16))[0]}));
  EXPECT_NEAR(rounded({3e38}, to(DType::bf16))[0], 3e38, 1e36);
}

TEST(Cast, TruncatesFloatsToIntegersFromEveryFloatType) {
  for (const DType from : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8}) {
    EXPECT_EQ(apply("Cast", to(DType::i32), {array_in(from, {1.75, -1.75, 0.5})}), array_in(DType::i32, {1, -1, 0}))
        << name(from);
    EXPECT_EQ(apply("Cast", to(DType::boolean), {array_in(from, {0.25, 0, -2})}), array_in(DType::boolean, {1, 0, 1}))
        << name(from);
  }
}

}  // namespace
}  // namespace foreflow::test::cast_test
