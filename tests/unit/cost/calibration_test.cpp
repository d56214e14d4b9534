#include "foreflow/cost/calibration.h"

#include <gmock/gmock.h>

#include <cmath>

#include "foreflow/base/error.h"

namespace foreflow::cost::calibration_test {
namespace {

Measurement measured(double flops, double bytes, double seconds, const std::string& op = "MatMul") {
  Measurement m;
  m.op = op, m.dtype = "f32", m.flops = Flops(flops), m.read = Bytes(bytes), m.time = Seconds(seconds);
  m.signature = op + "(" + std::to_string(flops) + "/" + std::to_string(bytes) + ")";
  return m;
}

// Work of which no two points are in proportion.
std::vector<Measurement> on_the_line(double fixed, double per_flop, double per_byte) {
  std::vector<Measurement> all;
  for (const double flops : {1e5, 1e6, 3e6, 1e7}) {
    for (const double bytes : {1e4, 5e4, 2e6})
      all.push_back(measured(flops, bytes, fixed + per_flop * flops + per_byte * bytes));
  }
  return all;
}

Query query(double flops, double bytes, const std::string& signature = "MatMul(never measured)") {
  return {"MatMul", "f32", signature, 1, Flops(flops), Bytes(bytes)};
}

TEST(Calibration, FindsTheLineThatTimesAreOn) {
  const Calibration calibration = fit(on_the_line(1e-5, 2e-10, 3e-11));
  ASSERT_EQ(calibration.families.size(), 1U);
  const Line& line = calibration.families[0].line;
  EXPECT_NEAR(line.fixed.value(), 1e-5, 1e-11);
  EXPECT_NEAR(line.per_flop, 2e-10, 1e-16);
  EXPECT_NEAR(line.per_byte, 3e-11, 1e-17);
}

// Ordinary least squares of these points has a negative fixed time: 1 s for 1 GB, but only 0.05 s for 0.1 GB.
TEST(Calibration, HasNoNegativeCoefficient) {
  const Calibration calibration =
      fit(std::vector{measured(0, 1e8, 0.05), measured(0, 1e9, 1.0), measured(0, 2e9, 2.1)});
  const Line& line = calibration.families[0].line;
  EXPECT_EQ(line.fixed, Seconds(0));
  EXPECT_EQ(line.per_flop, 0);
  // The best slope alone minimises sum((per_byte * b / t - 1)^2): sum(b / t) / sum((b / t)^2).
  const double x[] = {1e8 / 0.05, 1e9 / 1.0, 2e9 / 2.1};
  EXPECT_NEAR(line.per_byte, (x[0] + x[1] + x[2]) / (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), 1e-15);
}

TEST(Calibration, LooksUpThenInterpolatesThenExtends) {
  // The time grows with the square of the size.
  const Calibration calibration = fit(std::vector{measured(0, 1e3, 1e-6), measured(0, 4e3, 16e-6)});
  const auto table              = price(calibration, query(0, 1e3, "MatMul(0.000000/1000.000000)"));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->provenance, Provenance::table);
  EXPECT_EQ(table->time, Seconds(1e-6));
  const auto between = price(calibration, query(0, 2e3));
  ASSERT_TRUE(between);
  EXPECT_EQ(between->provenance, Provenance::interpolated);
  EXPECT_NEAR(between->time.value(), 4e-6, 1e-8);
  const auto beyond = price(calibration, query(0, 8e3));
  ASSERT_TRUE(beyond);
  EXPECT_EQ(beyond->provenance, Provenance::regression);
  const Line& line = calibration.families[0].line;
  EXPECT_EQ(beyond->time, line.at(Flops(0), Bytes(8e3)) / line.at(Flops(0), Bytes(4e3)) * Seconds(16e-6));
  EXPECT_FALSE(price(calibration, {"Relu", "f32", "s", 1, Flops(0), Bytes(1)}));
  EXPECT_FALSE(price(calibration, {"MatMul", "f16", "s", 1, Flops(0), Bytes(1)}));
}

Measurement product(int tokens, int width, double seconds) {
  const std::string t = std::to_string(tokens), w = std::to_string(width);
  Measurement m = measured(2.0 * tokens * width * width, 4.0 * (2.0 * tokens * width + 1.0 * width * width), seconds);
  m.signature   = "MatMul(f32[" + t + "x" + w + "] f32[" + w + "x" + w + "]) -> f32[" + t + "x" + w + "]";
  return m;
}

std::optional<Price> price_of(const Calibration& calibration, const Measurement& m) {
  return price(calibration, query(m.flops.value(), m.read.value(), m.signature));
}

// Products of other shapes with as much work take a third or three times as long.
TEST(Calibration, GivesMoreTokensOfAProductATimeBetweenTheMeasuredOnes) {
  const Calibration calibration = fit(std::vector{
      product(1024, 1024, 1e-3), product(2048, 1024, 2.5e-3), product(4096, 1024, 4e-3), product(16, 8192, 3e-3),
      product(24, 8192, 1e-3), product(48, 8192, 12e-3), product(65536, 128, 4e-4), product(262144, 128, 9e-4)});
  for (const auto& [tokens, seconds] : {std::pair(1024, 1e-3), std::pair(2048, 2.5e-3), std::pair(4096, 4e-3)}) {
    const auto at = price_of(calibration, product(tokens, 1024, 0));
    EXPECT_EQ(at->provenance, Provenance::table);
    EXPECT_EQ(at->time, Seconds(seconds));
  }
  Seconds before(1e-3);
  for (int tokens = 1025; tokens < 4096; ++tokens) {
    const auto between = price_of(calibration, product(tokens, 1024, 0));
    ASSERT_TRUE(between) << tokens;
    EXPECT_GE(between->time, before) << tokens;
    EXPECT_LE(between->time, Seconds(tokens < 2048 ? 2.5e-3 : 4e-3)) << tokens;
    EXPECT_LE(between->time / before, 1.005) << tokens;  // without a step
    before = between->time;
  }
}

// The more work of what was never measured, the longer, though all that was is of other attributes.
TEST(Calibration, InterpolatesUnlikeWorkWithoutAStep) {
  const Calibration calibration =
      fit(std::vector{product(256, 256, 1e-4), product(512, 256, 3e-4), product(1024, 256, 4e-4)});
  Seconds before(1e-4);
  for (int tokens = 257; tokens < 1024; ++tokens) {
    Measurement other = product(tokens, 256, 0);
    other.signature   = "MatMul{transA=1}(never measured)";
    const auto price  = price_of(calibration, other);
    ASSERT_EQ(price->provenance, Provenance::interpolated);
    EXPECT_GE(price->time, before) << tokens;
    EXPECT_LE(price->time / before, 1.01) << tokens;
    before = price->time;
  }
}

// Two kinds of kernels, of which one takes ten times as long for as much work: the line is near neither.
TEST(Calibration, LeavesWhatWasMeasuredWithoutAStep) {
  std::vector<Measurement> all;
  for (const double work : {1e6, 2e6, 4e6}) {
    all.push_back(measured(work, 1e3, work * 1e-12));
    all.push_back(measured(2e3, work, work * 1e-11));
  }
  const Calibration calibration = fit(all);
  for (const Measurement& m : {all[4], all[5]}) {
    for (const double more : {1.0001, 1.01, 2.0}) {
      const auto beyond = price(calibration, query(m.flops.value() * more, m.read.value() * more));
      ASSERT_TRUE(beyond);
      EXPECT_EQ(beyond->provenance, Provenance::regression);
      EXPECT_GE(beyond->time, m.time);
      EXPECT_LE(beyond->time, more * m.time);
    }
  }
}

// A convolution of 7 x 7 and one of 1 x 1 with as much work.
TEST(Calibration, TellsShapesOfEqualWorkApart) {
  std::vector<Measurement> all{measured(1e9, 1e6, 9e-3), measured(1e9, 1e6, 1e-3), measured(1e6, 1e3, 1e-6)};
  all[0].signature              = "MatMul{shape=[7, 7]}(f32[256x3] f32[64x3]) -> f32[256x64]";
  all[1].signature              = "MatMul{shape=[1, 1]}(f32[256x3] f32[64x3]) -> f32[256x64]";
  const Calibration calibration = fit(all);
  for (const auto& [shape, seconds] : {std::pair("7, 7", 9e-3), std::pair("1, 1", 1e-3)}) {
    const std::string signature = "MatMul{shape=[" + std::string(shape) + "]}(f32[257x3] f32[64x3]) -> f32[257x64]";
    EXPECT_NEAR(price(calibration, query(1.004e9, 1.004e6, signature))->time.value(), 1.004 * seconds, 1e-5) << shape;
  }
}

Measurement convolution(int samples, const std::string& kernel, double flops, double bytes, double seconds) {
  Measurement m       = measured(flops * samples, bytes * samples, seconds, "Conv");
  const std::string n = std::to_string(samples);
  m.signature = "Conv{kernel_shape=[" + kernel + "]}(f32[" + n + "x64x56x56] f32[64x64x" + kernel.substr(0, 1) + "x" +
                kernel.substr(0, 1) + "]) -> f32[" + n + "x64x56x56]";
  return m;
}

// Convolutions of 7 x 7 take five times as long as those of 1 x 1 with as much work, as they have few channels.
TEST(Calibration, PricesAConvolutionLikeTheMeasuredOneBesideIt) {
  std::vector<Measurement> all;
  for (const int samples : {64, 128, 256}) {
    all.push_back(convolution(samples, "1, 1", 1e7, 2e6, samples * 1e-6));
    all.push_back(convolution(samples, "7, 7", 1.01e7, 1.99e6, samples * 5e-6));
  }
  const Calibration calibration = fit(all);
  for (const int samples : {65, 127, 129, 255}) {
    const Measurement narrow = convolution(samples, "1, 1", 1e7, 2e6, samples * 1e-6);
    const Measurement wide   = convolution(samples, "7, 7", 1.01e7, 1.99e6, samples * 5e-6);
    for (const Measurement& m : {narrow, wide}) {
      const auto beside = price(calibration, {"Conv", "f32", m.signature, 1, m.flops, m.read});
      ASSERT_TRUE(beside);
      EXPECT_NEAR(beside->time / m.time, 1, 0.01) << m.signature;
    }
  }
}

TEST(Calibration, TakesNoLessTimeForMoreWorkThanForLess) {
  // The slowest has fewer bytes than the nearest, and is no less work.
  const Calibration calibration =
      fit(std::vector{measured(1e6, 1e3, 1e-6), measured(1e9, 4e3, 1e-3), measured(1e6, 4e6, 4e-6)});
  const auto beyond = price(calibration, query(1.1e9, 8e7));
  EXPECT_EQ(beyond->provenance, Provenance::regression);
  EXPECT_GE(beyond->time, Seconds(1e-3));
  EXPECT_EQ(least_time(calibration, query(1.1e9, 8e7)), Seconds(1e-3));
  EXPECT_EQ(least_time(calibration, query(1e5, 8e7)), Seconds(0));
  EXPECT_EQ(least_time(calibration, query(1.1e9, 8e7, "MatMul{transA=1}(never measured)")), Seconds(0));
  // Nearly as much work in another shape took less.
  EXPECT_EQ(least_time(fit(std::vector{measured(1e6, 1e3, 9e-6), measured(1e6, 2e3, 1e-6)}), query(1e6, 2.1e3)),
            Seconds(1e-6));
}

Measurement message(double bytes, double seconds) {
  Measurement m;
  m.kind = Measurement::Kind::message;
  m.op = "MPIAllreduce", m.dtype = "f32", m.ranks = 8, m.message = Bytes(bytes), m.time = Seconds(seconds);
  m.signature = "MPIAllreduce " + std::to_string(bytes);
  return m;
}

Query longer_message(double bytes) { return {"MPIAllreduce", "f32", "never measured", 8, Flops(0), Bytes(bytes)}; }

TEST(Calibration, HasNoPriceForMessagesLongerThanThoseThatShowNoBandwidth) {
  // 0.1 us more for 3000 bytes would be 30 GB/s, but is less than what measurements differ by.
  for (const double second : {20e-6, 20.1e-6}) {
    const Calibration calibration = fit(std::vector{message(1000, 20e-6), message(4000, second)});
    EXPECT_FALSE(grows(calibration.families[0]));
    EXPECT_EQ(price(calibration, longer_message(2000))->provenance, Provenance::interpolated);
    EXPECT_NEAR(price(calibration, longer_message(500))->time.value(), 20e-6, 1e-7);
    EXPECT_EQ(price(calibration, longer_message(500))->provenance, Provenance::regression);
    EXPECT_FALSE(price(calibration, longer_message(134e6)));
  }
  const Calibration calibration = fit(std::vector{message(1000, 20e-6), message(1e6, 40e-6)});
  EXPECT_TRUE(grows(calibration.families[0]));
  EXPECT_EQ(price(calibration, longer_message(134e6))->provenance, Provenance::regression);
}

TEST(Calibration, HasAFixedTimeOnlyForOneAmountOfWork) {
  const Calibration calibration = fit(std::vector{measured(16, 192, 3e-6)});
  const Family& family          = calibration.families[0];
  EXPECT_EQ(family.line.fixed, Seconds(3e-6));
  EXPECT_EQ(family.line.per_flop, 0);
  EXPECT_EQ(family.line.per_byte, 0);
  EXPECT_FALSE(grows(family));
  for (const Query& outside : {query(8, 96), query(1e9, 1e10)}) {
    EXPECT_EQ(price(calibration, outside)->time, Seconds(3e-6));
    EXPECT_EQ(price(calibration, outside)->provenance, Provenance::regression);
    EXPECT_EQ(flat_family(calibration, outside), &family);
  }
  EXPECT_EQ(flat_family(calibration, query(16, 192)), nullptr);  // as much work
}

// Launches of 3 us, and up to 1.8 us more for what a device moves in a thousandth of it.
TEST(Calibration, ExtendsNoLineOfWhichMostIsFixed) {
  const Calibration calibration =
      fit(std::vector{measured(16, 192, 3e-6), measured(1e3, 12e3, 3.3e-6), measured(7e3, 84e3, 4.8e-6)});
  EXPECT_FALSE(grows(calibration.families[0]));
  EXPECT_EQ(price(calibration, query(8, 96))->time, Seconds(3e-6));
  EXPECT_EQ(price(calibration, query(7e8, 84e8))->time, Seconds(4.8e-6));
  EXPECT_EQ(price(calibration, query(2e3, 24e3))->provenance, Provenance::interpolated);
}

TEST(Calibration, TakesALatencyFromShortMessagesOnly) {
  const Calibration shortest = fit(std::vector{message(64, 20e-6)});
  EXPECT_TRUE(shows_latency(shortest.families[0]));
  EXPECT_EQ(price(shortest, longer_message(8))->time, Seconds(20e-6));
  EXPECT_FALSE(price(shortest, longer_message(134e6)));
  const Calibration longest = fit(std::vector{message(1e9, 8e-3)});
  EXPECT_FALSE(shows_latency(longest.families[0]));
  EXPECT_FALSE(price(longest, longer_message(4000)));
  EXPECT_FALSE(price(longest, longer_message(2e9)));
}

// In proportion to the bytes: a rate, but no latency.
TEST(Calibration, HasNoPriceForMessagesShorterThanThoseThatShowNoLatency) {
  const Calibration calibration = fit(std::vector{message(1e8, 0.8e-3), message(1e9, 8e-3)});
  EXPECT_TRUE(grows(calibration.families[0]));
  EXPECT_FALSE(shows_latency(calibration.families[0]));
  EXPECT_FALSE(price(calibration, longer_message(4000)));
  EXPECT_NEAR(price(calibration, longer_message(2e9))->time.value(), 16e-3, 1e-9);
}

// As calibrations of one point were written before: a rate through the origin.
TEST(Calibration, ExtendsNoRateOfOnePointThatAFileStates) {
  const Json json = parse_json(R"([{"op": "MatMul", "dtype": "f32", "ranks": 1, "fixed": "0s", "throughput": "5e6f",
      "points": [{"signature": "a", "flops": 16, "bytes": "192B", "time": "3.2us"}]}])",
                               "c.json");
  const Calibration calibration = from_json(JsonView(json, "c.json"));
  EXPECT_FALSE(grows(calibration.families[0]));
  EXPECT_DOUBLE_EQ(price(calibration, query(1e9, 1e10))->time.value(), 3.2e-6);
}

TEST(Calibration, InterpolatesNothingOutsideOfWhatWasMeasured) {
  const Calibration calibration = fit(std::vector{measured(1e4, 1e3, 5e-6), measured(1e6, 4e4, 5e-6)});
  EXPECT_FALSE(grows(calibration.families[0]));
  EXPECT_EQ(price(calibration, query(1e5, 1e4))->provenance, Provenance::interpolated);
  for (const Query& outside : {query(1e12, 1e4), query(1e5, 1e9), query(1e3, 1e4), query(1e5, 10)}) {
    EXPECT_EQ(price(calibration, outside)->provenance, Provenance::regression);
    EXPECT_NEAR(price(calibration, outside)->time.value(), 5e-6, 1e-15);
  }
}

TEST(Calibration, HoldsOutNoMessageThatOthersCannotPrice) {
  const auto errors = assess(fit(std::vector{message(1000, 20e-6), message(2000, 20e-6), message(4000, 20e-6)}), 3);
  EXPECT_EQ(errors[0].points, 3U);
  EXPECT_EQ(errors[0].held_out, 2U);
  EXPECT_NEAR(errors[0].held_out_error, 0, 1e-9);
}

TEST(Calibration, TakesTheMedianOfEqualWork) {
  const Calibration calibration = fit(std::vector{measured(0, 8, 1), measured(0, 8, 9), measured(0, 8, 2)});
  ASSERT_EQ(calibration.families[0].points.size(), 1U);
  EXPECT_EQ(calibration.families[0].points[0].time, Seconds(2));
}

TEST(Calibration, HasNoHeldOutErrorOnALine) {
  const auto errors = assess(fit(on_the_line(1e-5, 2e-10, 3e-11)));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].points, 12U);
  EXPECT_EQ(errors[0].held_out, 12U);
  EXPECT_NEAR(errors[0].line_error, 0, 1e-6);
  EXPECT_NEAR(errors[0].held_out_error, 0, 1e-6);
}

TEST(Calibration, HoldsOutWhatItTests) {
  const auto errors = assess(fit(std::vector{measured(0, 1e9, 1), measured(0, 2e9, 2), measured(0, 4e9, 8)}), 3);
  // In proportion to 2 GB in 2 s; between 1 and 8 at log 1/2 -> sqrt(8); in proportion to 2 GB in 2 s.
  const double expected = (0 + (std::sqrt(8.0) / 2 - 1) + (1 - 4.0 / 8)) / 3;
  EXPECT_NEAR(errors[0].held_out_error, expected, 1e-9);
  EXPECT_EQ(total(errors).held_out, 3U);
}

TEST(Calibration, ReadsBackFromItsFile) {
  const Calibration calibration = fit(on_the_line(1e-5, 2e-10, 3e-11));
  const Json json               = to_json(calibration);
  const Calibration read        = from_json(JsonView(json, "c.json"));
  ASSERT_EQ(read.families.size(), 1U);
  EXPECT_EQ(read.families[0].points.size(), 12U);
  const auto before = price(calibration, query(2e6, 1e5)), after = price(read, query(2e6, 1e5));
  EXPECT_NEAR(after->time / before->time, 1, 1e-12);
  EXPECT_EQ(after->provenance, before->provenance);
}

TEST(Calibration, LooksUpSignaturesThatAFileHoldsWithTheTargetsOfTheBatch) {
  const Json json = parse_json(R"json([{"op": "Loss", "dtype": "f32", "ranks": 1, "fixed": "0s", "throughput": "5e6f",
      "points": [{"signature": "Loss{count=64}(f32[4])", "flops": 16, "bytes": "192B", "time": "3us"}]}])json",
                               "c.json");
  const auto found =
      price(from_json(JsonView(json, "c.json")), {"Loss", "f32", "Loss(f32[4])", 1, Flops(16), Bytes(192)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->provenance, Provenance::table);
}

// One text, in one server and between two.
TEST(Calibration, KeepsMessagesOnOtherNumbersOfNodesApart) {
  const auto send = [](double bytes, double seconds, int nodes) {
    Measurement m;
    m.kind = Measurement::Kind::message, m.op = "Send", m.dtype = "f32", m.ranks = 2, m.nodes = nodes;
    m.message = Bytes(bytes), m.time = Seconds(seconds), m.signature = "Send " + std::to_string(bytes);
    return m;
  };
  const Calibration fitted = fit(std::vector{send(1e6, 1e-5, 1), send(1e6, 1e-3, 2), send(4e6, 4e-3, 2)});
  const Json json          = to_json(fitted);
  EXPECT_FALSE(JsonView(json, "c.json").items()[0].has("nodes"));  // as before there was such a member
  EXPECT_EQ(name(fitted.families[1]), "Send f32 over 2 on 2 nodes");
  EXPECT_EQ(measured_nodes(fitted, "Send", "f32", 2), (std::vector<int>{1, 2}));
  for (const Calibration& calibration : {fitted, from_json(JsonView(json, "c.json"))}) {
    const auto on = [&](int nodes, const std::string& signature, double bytes) {
      return price(calibration, {"Send", "f32", signature, 2, Flops(0), Bytes(bytes), nodes});
    };
    EXPECT_EQ(on(1, "Send 1000000.000000", 1e6)->time, Seconds(1e-5));
    EXPECT_EQ(on(2, "Send 1000000.000000", 1e6)->time, Seconds(1e-3));
    EXPECT_EQ(on(2, "another", 2e6)->provenance, Provenance::interpolated);
    EXPECT_FALSE(on(3, "Send 1000000.000000", 1e6));
  }
}

// Two of one text on two devices, and one that states none.
TEST(Calibration, KeepsDevicesApart) {
  const auto on = [](Measurement m, const char* device) {
    m.device = device;
    return m;
  };
  const Calibration fitted = fit(std::vector{on(measured(1e6, 1e4, 1e-5), "NVIDIA A100-SXM4-80GB"),
                                             on(measured(1e6, 1e4, 1e-4), "V100-SXM2-16GB"), measured(2e6, 2e4, 3e-4)});
  const Json json          = to_json(fitted);
  ASSERT_EQ(fitted.families.size(), 3U);
  EXPECT_EQ(name(fitted.families[2]), "MatMul f32 on V100-SXM2-16GB");
  EXPECT_FALSE(JsonView(json, "c.json").items()[0].has("device"));  // as before there was such a member
  for (const Calibration& calibration : {fitted, from_json(JsonView(json, "c.json"))}) {
    const auto price_on = [&](const char* device, const Measurement& work) {
      return price(calibration, {"MatMul", "f32", work.signature, 1, work.flops, work.read, 1, device});
    };
    EXPECT_EQ(price_on("A100-SXM4-80GB", measured(1e6, 1e4, 0))->time, Seconds(1e-5));
    EXPECT_EQ(price_on("V100-SXM2-16GB", measured(1e6, 1e4, 0))->time, Seconds(1e-4));
    EXPECT_EQ(price_on("V100-SXM2-16GB", measured(2e6, 2e4, 0))->time, Seconds(3e-4));
    EXPECT_EQ(price_on("H100-SXM5-80GB", measured(2e6, 2e4, 0))->provenance, Provenance::table);
    EXPECT_EQ(price_on("H100-SXM5-80GB", measured(1e6, 1e4, 0))->time, Seconds(3e-4));  // the shortest of any device
  }
}

// A driver may call both A100 by either name; the memory in the name decides.
TEST(Calibration, PrefersTheNameThatIsNearest) {
  std::vector<Measurement> rows;
  for (const char* device : {"NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-80GB"}) {
    rows.push_back(measured(1e6, 1e4, rows.empty() ? 2e-5 : 1e-5));
    rows.back().device = device;
  }
  const Calibration fitted = fit(rows);
  const auto time_on       = [&](const char* device) {
    return price(fitted, {"MatMul", "f32", rows[0].signature, 1, Flops(1e6), Bytes(1e4), 1, device})->time;
  };
  EXPECT_EQ(time_on("A100-SXM4-80GB"), Seconds(1e-5));
  EXPECT_EQ(time_on("A100-SXM4-40GB"), Seconds(2e-5));
}

// What would make a time that is not a number is refused where it stands.
TEST(Calibration, RefusesRatesAndTimesThatGiveNoNumber) {
  const Json good         = to_json(fit(on_the_line(1e-5, 2e-10, 3e-11)));
  const auto message_with = [&](const std::string& key, const Json& value) {
    Json family = good.if_array()->at(0);
    if (key == "time" || key == "bytes" || key == "flops") {
      Json point  = family.find("points")->if_array()->at(0);
      Json points = Json::array();
      points.push(point.set(key, value));
      family.set("points", points);
    } else {
      family.set(key, value);
    }
    Json families = Json::array();
    families.push(family);
    try {
      from_json(JsonView(families, "c.json"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(message_with("throughput", "0Tf"),
            "c.json: $[0].throughput: \"0Tf\" is no speed that can be divided by; write one above 0 such as \"312Tf\"");
  EXPECT_EQ(message_with("throughput", "1e-320f"),
            "c.json: $[0].throughput: \"1e-320f\" is no speed that can be divided by; write one above 0 such as "
            "\"312Tf\"");
  EXPECT_EQ(message_with("bandwidth", "0GBps"),
            "c.json: $[0].bandwidth: \"0GBps\" is no speed that can be divided by; write one above 0 such as "
            "\"25GBps\"");
  EXPECT_EQ(message_with("time", "0s"),
            "c.json: $[0].points[0].time: \"0s\" is no measured time; write one above 0 such as \"12us\"");
  EXPECT_EQ(message_with("fixed", "1e300s"),
            "c.json: $[0].fixed: \"1e300s\" is too long; write a time up to \"1e12s\"");
  EXPECT_EQ(message_with("flops", 1e300), "c.json: $[0].points[0].flops: is too large; write at most 1e30");
  EXPECT_EQ(message_with("ranks", 0), "c.json: $[0].ranks: is no number of processes; write 1 or more");
  for (const std::string text : {"-1us", "inf s", "nan", "1e400s", "12"})
    EXPECT_THAT(message_with("time", text), testing::StartsWith("c.json: $[0].points[0].time: \"" + text + "\" "));
  EXPECT_EQ(message_with("fixed", "0s"), "none");
}

}  // namespace
}  // namespace foreflow::cost::calibration_test
