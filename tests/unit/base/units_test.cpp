#include "foreflow/base/units.h"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "foreflow/base/error.h"

namespace foreflow::units_test {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};

TEST(Quantity, KeepsTrackOfDimensionsAtCompileTime) {
  static_assert(std::is_same_v<decltype(Bytes(1) / BytesPerSecond(1)), Seconds>);
  static_assert(std::is_same_v<decltype(FlopsPerSecond(1) * Seconds(1)), Flops>);
  static_assert(std::is_same_v<decltype(Bytes(1) / Bytes(1)), double>);
  static_assert(Addable<Bytes, Bytes> && !Addable<Bytes, Flops> && !Addable<Bytes, double>);
  EXPECT_EQ((Bytes(6) / BytesPerSecond(3)).value(), 2);
}

TEST(ParseSeconds, KnowsEveryUnitOfTime) {
  EXPECT_DOUBLE_EQ(parse_seconds("3ns", "t").value(), 3e-9);
  EXPECT_DOUBLE_EQ(parse_seconds("2.5us", "t").value(), 2.5e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("4 ms", "t").value(), 4e-3);
  EXPECT_DOUBLE_EQ(parse_seconds("1e2s", "t").value(), 100);
  EXPECT_DOUBLE_EQ(parse_seconds("2min", "t").value(), 120);
  EXPECT_DOUBLE_EQ(parse_seconds("2h", "t").value(), 7200);
  EXPECT_DOUBLE_EQ(parse_seconds("0s", "t").value(), 0);
}

TEST(ParseBytes, TakesDecimalAndBinaryPrefixesAndBits) {
  EXPECT_EQ(parse_bytes("64MiB", "s").value(), 64.0 * 1024 * 1024);
  EXPECT_EQ(parse_bytes("64MB", "s").value(), 64e6);
  EXPECT_EQ(parse_bytes("80GiB", "s").value(), 80.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(parse_bytes("8kb", "s").value(), 1000);
  EXPECT_EQ(parse_bytes("5EB", "s").value(), 5e18);  // not the exponent of 5E...
}

TEST(ParseBandwidth, DividesBitsByEight) {
  EXPECT_EQ(parse_bandwidth("100Gbps", "b").value(), 12.5e9);
  EXPECT_EQ(parse_bandwidth("25GBps", "b").value(), 25e9);
  EXPECT_EQ(parse_bandwidth("25 GB/s", "b").value(), 25e9);
}

TEST(ParseFlopsRate, TakesTheFormsOfPapersAndPlatformFiles) {
  EXPECT_EQ(parse_flops_rate("312Tf", "p").value(), 312e12);
  EXPECT_EQ(parse_flops_rate("312 TFLOP/s", "p").value(), 312e12);
}

class BadQuantity : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Text, BadQuantity,
                         testing::Values("", "us", "12", "-1us", "nan us", "nans", "inf s", "infs", "1e999s", "1e308h",
                                         "3 parsecs", "0x10s", "1,5s", "1us ", " 1us", "1KiB"));

TEST_P(BadQuantity, IsRefusedWithItsPlace) {
  try {
    const Seconds time = parse_seconds(GetParam(), "here");
    FAIL() << "was taken as " << time.value();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "here");
    EXPECT_NE(error.problem().find('"' + std::string(GetParam()) + '"'), std::string::npos) << error.problem();
  }
}

TEST(Format, ChoosesTheUnitAndFourDigits) {
  EXPECT_EQ(format(Seconds(1.2344e-3)), "1.234 ms");
  EXPECT_EQ(format(Seconds(-2e-6)), "-2 us");
  EXPECT_EQ(format(Seconds(0)), "0 s");
  EXPECT_EQ(format(Seconds(7200)), "7200 s");
  EXPECT_EQ(format(Bytes(21.5e9)), "21.5 GB");
  EXPECT_EQ(format(BytesPerSecond(150e9)), "150 GB/s");
  EXPECT_EQ(format(FlopsPerSecond(96.9e12)), "96.9 TFLOP/s");
  EXPECT_EQ(format(Flops(12)), "12 FLOP");
}

TEST(Format, RoundsUpIntoTheNextUnit) {
  EXPECT_EQ(format(Seconds(999.96e-6)), "1 ms");
  EXPECT_EQ(format(Seconds(999.94e-6)), "999.9 us");
  EXPECT_EQ(format(Bytes(999.96e6)), "1 GB");
  EXPECT_EQ(format(Bytes(999.7e6)), "999.7 MB");
}

TEST(Format, ShowsWhatIsNotANumberWithoutAPrefix) {
  EXPECT_EQ(format(Bytes(std::numeric_limits<double>::infinity())), "inf B");
  EXPECT_EQ(format(Seconds(std::numeric_limits<double>::infinity())), "inf s");
  EXPECT_EQ(format(Bytes(std::numeric_limits<double>::quiet_NaN())), "nan B");
}

}  // namespace
}  // namespace foreflow::units_test
