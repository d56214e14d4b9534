#include <gtest/gtest.h>

#include <cmath>

#include "cost/fit.h"
#include "cost/laws/law.h"
#include "cost/laws/tiles.h"

namespace foreflow::cost::laws_test {
namespace {

// An A100 by its data sheet.
constexpr Hardware kA100{312e12, 2039e9, 108, 40e6};

std::vector<double> start_of(const LawDef& law) {
  std::vector<double> constants;
  for (const Constant& constant : law.constants) constants.push_back(constant.start);
  return constants;
}

size_t place_of(const LawDef& law, std::string_view name) {
  size_t place = 0;
  while (law.constants[place].name != name) ++place;
  return place;
}

Sizes product(double m, double n, double k, double unaligned = 0) { return {m, n, k, 2, 2, unaligned}; }

TEST(ProductLaw, PaysForAWholeTileWhereOneColumnOfItIsNeeded) {
  const LawDef& law    = laws().get("product", "test");
  const auto constants = start_of(law);
  const double whole   = law.seconds(constants, product(8192, 4096, 8192), kA100);
  EXPECT_GT(law.seconds(constants, product(8192, 4096 - 127, 8192), kA100), 0.98 * whole);
  EXPECT_LT(law.seconds(constants, product(8192, 4096 - 512, 8192), kA100), 0.93 * whole);
}

TEST(ProductLaw, ReachesItsEfficiencyWhereTheProductIsLarge) {
  const LawDef& law                             = laws().get("product", "test");
  auto constants                                = start_of(law);
  constants[place_of(law, "throttle")]          = 1e-9;
  constants[place_of(law, "small_tile")]        = 1e-9;
  constants[place_of(law, "operand_bandwidth")] = 1e13;
  const double m = 256 * 108, n = 128 * 64, k = 65536;
  const double flops = 2 * m * n * k;
  const double least = flops / (kA100.peak * constants[place_of(law, "efficiency")]);
  EXPECT_NEAR(law.seconds(constants, product(m, n, k), kA100), least, 0.02 * least);
}

TEST(ProductLaw, TakesLongerForRowsThatAreNoMultipleOf16Bytes) {
  const LawDef& law    = laws().get("product", "test");
  const auto constants = start_of(law);
  EXPECT_DOUBLE_EQ(law.seconds(constants, product(1024, 1024, 1024, 1), kA100),
                   constants[place_of(law, "unaligned")] * law.seconds(constants, product(1024, 1024, 1024), kA100));
}

// The scores of attention by its values: m * k scores are read for each sample and head, and little is computed.
TEST(ProductLaw, ReadsTheOperandsOfEveryProductOfABatch) {
  const LawDef& law    = laws().get("product", "test");
  const auto constants = start_of(law);
  const double m = 2048, n = 64, k = 2048, batch = 512;
  const double one = law.seconds(constants, {m, n, k, 4, 4, 0}, kA100);
  const double all = law.seconds(constants, {m, n, k, 4, 4, 0, batch}, kA100);
  EXPECT_DOUBLE_EQ(law.seconds(constants, {m, n, k, 4, 4, 0, 1}, kA100), one);
  EXPECT_GT(all, 4 * batch * m * k / (kA100.bandwidth * constants[place_of(law, "memory")]));
  EXPECT_LT(all, batch * one);  // one of them fills few processors
}

TEST(TrafficLaw, IsTheLongerOfItsBytesAndAFloorForEachKernel) {
  const LawDef& law    = laws().get("traffic", "test");
  const auto constants = start_of(law);
  const double cached = 40e6 / constants[place_of(law, "cached")], beyond = 960e6 / constants[place_of(law, "memory")];
  EXPECT_DOUBLE_EQ(law.seconds(constants, {1e9, 3}, kA100), (cached + beyond) / 2039e9);
  EXPECT_DOUBLE_EQ(law.seconds(constants, {1e3, 3}, kA100), 3 * constants[place_of(law, "floor")]);
}

TEST(TrafficLaw, FindsInTheCacheWhatItHolds) {
  const LawDef& law = laws().get("traffic", "test");
  const double rate = 2039e9 * start_of(law)[place_of(law, "cached")];
  EXPECT_DOUBLE_EQ(law.seconds(start_of(law), {30e6, 1}, kA100), 30e6 / rate);
}

// Few flops for many bytes: A of 16 MB stays in a cache of 40 MB, five B of 16 MB do not.
TEST(ProductLaw, SavesWhatCallsBeforeLeftInTheCache) {
  const LawDef& law    = laws().get("product", "test");
  auto constants       = start_of(law);
  const size_t reused  = place_of(law, "reused");
  const auto time_with = [&](double share, double m, double n) {
    constants[reused] = share;
    return law.seconds(constants, product(m, n, 1024), kA100);
  };
  EXPECT_LT(time_with(0.9, 8192, 16), 0.8 * time_with(0, 8192, 16));
  EXPECT_GT(time_with(0.9, 16, 8192), 0.98 * time_with(0, 16, 8192));
}

constexpr auto kVllmAda = static_cast<double>(Chooser::vllm_ada);

// An L40S by its data sheet, in fp8.
constexpr Hardware kL40s{733e12, 864e9, 142, 96e6};

TEST(ProductLaw, CutsKNowhereInTheTilesOfVllm) {
  const LawDef& law  = laws().get("product", "test");
  auto constants     = start_of(law);
  const auto time_of = [&](double k, double chooser) {
    return law.seconds(constants, {16, 64, k, 1, 2, 0, 0, chooser}, kL40s);
  };
  // One tile, on half of the matrix units of one processor.
  const double least = 2 * 16 * 64 / (kL40s.peak / 142 * constants[place_of(law, "efficiency")] / 2);
  EXPECT_GT(time_of(65536, kVllmAda), 65536 * least);
  EXPECT_GT(time_of(65536, kVllmAda), 4 * time_of(65536, 0));
}

TEST(ProductLaw, SharesTheMemoryAmongTheTilesThatSpillTheirAccumulators) {
  const LawDef& law    = laws().get("product", "test");
  auto constants       = start_of(law);
  const size_t spilled = place_of(law, "spilled");
  const auto more      = [&](double n) {
    const Sizes sizes{512, n, 32, 1, 2, 0, 0, kVllmAda};
    constants[spilled] = 0;
    const double none  = law.seconds(constants, sizes, kL40s);
    constants[spilled] = 400;
    return law.seconds(constants, sizes, kL40s) - none;
  };
  EXPECT_GT(more(65536), 7 * more(8192 + 128));
  EXPECT_GT(more(8192 + 128), 0);
}

TEST(ProductLaw, RoundsFasterWhatTheCacheHolds) {
  const LawDef& law     = laws().get("product", "test");
  auto constants        = start_of(law);
  const size_t quantise = place_of(law, "quantise");
  const auto rounding   = [&](double m) {
    const Sizes sizes{m, 64, 1024, 1, 2, 0, 0, kVllmAda};
    constants[quantise] = 0;
    const double none   = law.seconds(constants, sizes, kL40s);
    constants[quantise] = 40e-12;
    return (law.seconds(constants, sizes, kL40s) - none) / (m * 1024 * 40e-12);
  };
  EXPECT_NEAR(rounding(1024), constants[place_of(law, "rounded")], 0.01);  // 6 MB
  EXPECT_NEAR(rounding(131072), 1, 0.01);                                  // 805 MB
}

// Of 32 x 32 results, all in one wave: 128 rows of an instruction on either side of the result are at best half full.
TEST(ProductLaw, TakesWholeInstructionsOfTheMatrixUnits) {
  const LawDef& law                               = laws().get("product", "test");
  auto constants                                  = start_of(law);
  constants[place_of(law, "split")]               = 1;
  constants[place_of(law, "small_tile")]          = 1e-9;
  constants[place_of(law, "operand_bandwidth")]   = 1e13;
  constants[place_of(law, "processor_bandwidth")] = 1e13;
  Sizes blackwell                                 = product(32, 32, 65536);
  blackwell[7]                                    = static_cast<double>(Chooser::blackwell);
  EXPECT_GT(law.seconds(constants, blackwell, kA100), 1.8 * law.seconds(constants, product(32, 32, 65536), kA100));
}

TEST(TilesOfVllm, FollowItsTable) {
  const auto is = [](double m, double n, double tile_m, double tile_n, double units) {
    const Tile tile = tile_of_vllm_on_ada(m, n);
    return tile.m == tile_m && tile.n == tile_n && tile.units == units;
  };
  EXPECT_TRUE(is(16, 8192, 16, 64, 0.5));
  EXPECT_TRUE(is(16, 8193, 16, 128, 0.5));
  EXPECT_TRUE(is(16, 65536, 32, 64, 1));
  EXPECT_TRUE(is(17, 4096, 32, 64, 1));
  EXPECT_TRUE(is(64, 10240, 64, 128, 1));
  EXPECT_TRUE(is(128, 65536, 128, 64, 1));
  EXPECT_TRUE(is(256, 4096, 64, 128, 1));
  EXPECT_TRUE(is(257, 4096, 128, 128, 1));
  EXPECT_TRUE(is(257, 5120, 256, 128, 1));
  EXPECT_TRUE(is(257, 10240, 128, 128, 1));
}

// |log(c / 4)| or |log(16 c)| + 0.1, the less of both: a valley around 1/16 that is not the lowest.
double two_valleys(std::span<const double> constants, const Sizes&, const Hardware&) {
  const double at = std::log(constants[0]);
  return std::exp(std::min(std::abs(at - std::log(4)), std::abs(at + std::log(16)) + 0.1));
}

TEST(Fits, TakeTheBetterEndOfBothStarts) {
  LawDef law{"valleys", "two valleys", {{"c", Unit::number, 0.05, "where"}}, two_valleys};
  const std::vector<Sample> samples(5, Sample{{}, 1});
  EXPECT_NEAR(fit(law, kA100, samples).constants[0], 0.0625, 1e-3);
  law.constants[0].other_start = 3;
  EXPECT_NEAR(fit(law, kA100, samples).constants[0], 4, 0.01);
}

// Samples that a byte which is written costs eight times as much as one that is read.
TEST(Fits, KeepConstantsToWhatTheyMean) {
  const LawDef& law    = laws().get("product", "test");
  auto truth           = start_of(law);
  const size_t written = place_of(law, "written");
  truth[written]       = 8;
  std::vector<Sample> samples;
  for (const double size : {1024, 2048, 4096, 8192}) {
    for (const double k : {32, 64, 128, 1024})
      samples.push_back({product(size, size, k), law.seconds(truth, product(size, size, k), kA100)});
  }
  EXPECT_LE(fit(law, kA100, samples).constants[written], law.constants[written].most);
}

TEST(AttentionLaw, TakesFiveProductsBackwardWhereItTakesTwoForward) {
  const LawDef& law    = laws().get("attention", "test");
  const auto constants = start_of(law);
  const double forward = law.seconds(constants, {1, 65536, 8, 8, 128, 2}, kA100);
  EXPECT_NEAR(law.seconds(constants, {1, 65536, 8, 8, 128, 2, 1}, kA100), 2.5 * forward, 0.01 * 2.5 * forward);
}

TEST(AttentionLaw, WritesAPagedCacheInServingAlone) {
  const LawDef& law           = laws().get("attention", "test");
  std::vector<double> serving = start_of(law), training = serving;
  training[place_of(law, "cache")] = 0;
  const Sizes unpaged{1, 4096, 8, 8, 128, 2}, paged{1, 4096, 8, 8, 128, 2, 0, 1};
  EXPECT_DOUBLE_EQ(law.seconds(serving, unpaged, kA100), law.seconds(training, unpaged, kA100));
  EXPECT_GT(law.seconds(serving, paged, kA100), law.seconds(training, paged, kA100));
}

// On an A100 64 heads take 0.4 s over 65536 positions, and 0.1 ms over 1024.
TEST(AttentionLaw, IsSlowerInLongCallsWhoseClockFalls) {
  const LawDef& law              = laws().get("attention", "test");
  std::vector<double> hot        = start_of(law);
  hot[place_of(law, "throttle")] = 0.3;
  hot[place_of(law, "warm")]     = 10e-3;
  std::vector<double> cool       = hot;

  cool[place_of(law, "throttle")] = 0;
  const auto slowdown             = [&](double positions) {
    const Sizes sizes{1, positions, 64, 8, 128, 2};
    return law.seconds(hot, sizes, kA100) / law.seconds(cool, sizes, kA100);
  };
  EXPECT_NEAR(slowdown(65536), 1.3, 0.01);
  EXPECT_NEAR(slowdown(1024), 1, 0.02);
}

class EveryLaw : public testing::TestWithParam<std::string> {};

// Times grow with every size, and are above 0.
TEST_P(EveryLaw, GrowsWithItsSizes) {
  const LawDef& law    = laws().get(GetParam(), "test");
  const auto constants = start_of(law);
  const std::vector<Sizes> growing =
      law.name == "collective" ? std::vector<Sizes>{{8, 1e3, 14, 1.75e3}, {8, 1e6, 14, 1.75e6}, {8, 1e9, 14, 1.75e9}}
      : law.name == "traffic"  ? std::vector<Sizes>{{1e7, 1}, {1e8, 1}, {1e9, 1}}
      : law.name == "product"
          ? std::vector<Sizes>{product(64, 64, 64), product(512, 512, 512), product(4096, 4096, 4096)}
          : std::vector<Sizes>{{1, 128, 8, 8, 128, 2}, {2, 1024, 8, 8, 128, 2}, {8, 8192, 8, 8, 128, 2}};
  double before = 0;
  for (const Sizes& sizes : growing) {
    const double seconds = law.seconds(constants, sizes, kA100);
    EXPECT_GT(seconds, before);
    before = seconds;
  }
}

// A fit finds constants that explain what the law with other constants says.
TEST_P(EveryLaw, IsFittedToWhatItSays) {
  const LawDef& law = laws().get(GetParam(), "test");
  auto truth        = start_of(law);
  for (size_t i = 0; i < truth.size(); ++i) {
    if (law.constants[i].use != Use::given) truth[i] *= i % 2 == 0 ? 1.3 : 0.8;
  }
  std::vector<Sample> samples;
  for (const double a : {1, 3, 8, 20, 64, 200}) {
    for (const double b : {1, 5, 16, 60}) {
      const Sizes sizes = law.name == "collective" ? Sizes{8, a * b * b * 1e4, 14, a * b * b * 1.75e4}
                          : law.name == "traffic"  ? Sizes{a * b * b * 1e4, 1 + std::fmod(b, 3)}
                          : law.name == "product"  ? product(a * 32, b * 64, (a + b) * 32)
                                                   : Sizes{a, b * 128, 8, 2, 128, 2};
      samples.push_back({sizes, law.seconds(truth, sizes, kA100)});
    }
  }
  const Fit found = fit(law, kA100, samples);
  EXPECT_LT(found.error, 0.03);
  EXPECT_LT(found.held_out, 0.08);
}

INSTANTIATE_TEST_SUITE_P(Laws, EveryLaw, testing::ValuesIn(laws().names()));

}  // namespace
}  // namespace foreflow::cost::laws_test
