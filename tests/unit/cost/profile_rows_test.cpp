// The part of calibration/profile.cu that needs no CUDA.
#include "../../../calibration/profile_rows.h"

#include <gmock/gmock.h>

#include <sstream>

#include "foreflow/cost/measurement.h"

namespace foreflow::cost::profile_rows_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

profile::EventList events_of(const std::string& text) {
  std::istringstream in(text);
  return profile::read_events(in, "events.csv");
}

template <class Call>
std::string failure_of(const Call& call) {
  try {
    call();
  } catch (const profile::Failure& failure) {
    return failure.what();
  }
  return "";
}

Measurement event() {
  Measurement one;
  one.op        = "Gemm";
  one.dtype     = "f16";
  one.signature = R"(Gemm{transB=1}(f16[4x8] f16[2x8]) -> f16[4x2])";
  one.flops     = Flops(128);
  one.read      = Bytes(96);
  one.written   = Bytes(16);
  return one;
}

TEST(ProfileRows, WriteTimesThatCalibrateReads) {
  const auto list = events_of(print_csv(std::vector{event()}));
  ASSERT_EQ(list.events.size(), 1U);
  std::string text = "# 1 x a GPU\n";
  for (const std::string& column : list.columns) text += (text.back() == '\n' ? "" : ",") + column;
  text += "\n" + profile::measured_line(list.columns, list.events[0], {3e-6, 1e-6, 2e-6, 8e-6});
  const auto rows = parse_csv(text, "times.csv");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].signature, event().signature);
  EXPECT_EQ(rows[0].count, 4);
  EXPECT_NEAR(rows[0].time.value(), 2.5e-6, 1e-12);
  EXPECT_NEAR(rows[0].fastest.value(), 1e-6, 1e-12);
  EXPECT_EQ(rows[0].flops.value(), 128);
}

TEST(ProfileRows, AreOfADeviceAndOnNodes) {
  Measurement on_v100 = event(), anywhere = event(), far = event();
  on_v100.device = "V100-SXM2-32GB";
  far.kind = Measurement::Kind::message, far.ranks = far.nodes = 2;
  const auto list = events_of(print_csv(std::vector{on_v100, anywhere, far})).events;
  ASSERT_EQ(list.size(), 3U);
  EXPECT_TRUE(profile::is_of_device(list[0], "Tesla V100-SXM2-32GB"));
  EXPECT_FALSE(profile::is_of_device(list[0], "Tesla V100-PCIE-32GB"));
  EXPECT_FALSE(profile::is_of_device(list[0], "NVIDIA A100-SXM4-80GB"));
  on_v100.device = "RTX-4090-24GB";
  const auto rtx = events_of(print_csv(std::vector{on_v100})).events;
  EXPECT_TRUE(profile::is_of_device(rtx[0], "NVIDIA GeForce RTX 4090"));
  EXPECT_FALSE(profile::is_of_device(rtx[0], "NVIDIA GeForce RTX 3090"));
  EXPECT_TRUE(profile::is_of_device(list[1], "NVIDIA A100-SXM4-80GB"));
  EXPECT_EQ(profile::nodes_of(list[1]), 1);
  EXPECT_EQ(profile::nodes_of(list[2]), 2);
  EXPECT_EQ(profile::nodes_of(events_of(print_csv(std::vector{event()})).events[0]), 1);
}

TEST(ProfileRows, ReadSignaturesWithAttributes) {
  const auto found = profile::signature_of(R"(ReduceSum{axes=[0, 1] keepdims=0}(f16[4x2048x4096]) -> f16[4096])");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->op, "ReduceSum");
  EXPECT_EQ(found->attributes.at("axes"), "[0, 1]");
  EXPECT_EQ(found->attributes.at("keepdims"), "0");
  EXPECT_THAT(found->operands[0].dims, ElementsAre(4, 2048, 4096));
  EXPECT_EQ(found->results[0].bytes(), 8192);
  EXPECT_FALSE(profile::signature_of("Send 4096 B over 2"));
  EXPECT_FALSE(profile::signature_of("Adam(Tuple[f32]) -> f32[4]"));
}

TEST(ProfileRows, FindTheProductsOfAGradient) {
  // dy[24,2] w'[2,8] and x'[8,24] dy[24,2].
  const auto all =
      profile::products_of(*profile::signature_of("MatMulGrad(f16[4x6x8] f16[8x2] f16[4x6x2]) -> f16[4x6x8] f16[8x2]"));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT((std::vector{all[0].m, all[0].n, all[0].k}), ElementsAre(24, 8, 2));
  EXPECT_TRUE(all[0].transposed_b);
  EXPECT_THAT((std::vector{all[1].m, all[1].n, all[1].k}), ElementsAre(8, 2, 24));
  EXPECT_TRUE(all[1].transposed_a);
}

// x'[e,8,24] dy[e,24,2], and dy[e,24,2] w'[e,2,8].
TEST(ProfileRows, FindTheProductsOfExperts) {
  const auto weight =
      profile::products_of(*profile::signature_of("FusedMatMul{transA=1}(bf16[3x24x8] bf16[3x24x2]) -> bf16[3x8x2]"));
  ASSERT_EQ(weight.size(), 1U);
  EXPECT_THAT((std::vector{weight[0].batch, weight[0].m, weight[0].n, weight[0].k}), ElementsAre(3, 8, 2, 24));
  EXPECT_TRUE(weight[0].transposed_a);
  const auto rows =
      profile::products_of(*profile::signature_of("FusedMatMul{transB=1}(bf16[3x24x2] bf16[3x8x2]) -> bf16[3x24x8]"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT((std::vector{rows[0].batch, rows[0].m, rows[0].n, rows[0].k}), ElementsAre(3, 24, 8, 2));
  EXPECT_TRUE(rows[0].transposed_b);
}

TEST(ProfileRows, FindBatchesAndTransposedOperands) {
  const auto batch = profile::products_of(*profile::signature_of("MatMul(f32[2x3x4x5] f32[2x3x5x7]) -> f32[2x3x4x7]"));
  ASSERT_EQ(batch.size(), 1U);
  EXPECT_THAT((std::vector{batch[0].batch, batch[0].m, batch[0].n, batch[0].k}), ElementsAre(6, 4, 7, 5));
  const auto gemm =
      profile::products_of(*profile::signature_of("Gemm{transA=1 transB=1}(f32[5x4] f32[7x5]) -> f32[4x7]"));
  ASSERT_EQ(gemm.size(), 1U);
  EXPECT_THAT((std::vector{gemm[0].m, gemm[0].n, gemm[0].k}), ElementsAre(4, 7, 5));
  // With a bias, or with one matrix for several: not measured as a product alone.
  EXPECT_TRUE(profile::products_of(*profile::signature_of("Gemm(f32[4x5] f32[5x7] f32[7]) -> f32[4x7]")).empty());
  EXPECT_TRUE(profile::products_of(*profile::signature_of("MatMul(f32[2x4x5] f32[1x5x7]) -> f32[2x4x7]")).empty());
}

TEST(ProfileRows, SayWhatIsWrongInOneLine) {
  EXPECT_THAT(failure_of([] { events_of("a,b\n1\n"); }), HasSubstr("events.csv:2: has 1 cells for 2 columns"));
  EXPECT_THAT(failure_of([] { events_of("# only\n"); }), HasSubstr("foreflow events"));
  EXPECT_THAT(failure_of([] { events_of("a\n\"1\n"); }), HasSubstr("close it"));
  EXPECT_THAT(failure_of([] { static_cast<void>(events_of("ranks\ntwo\n").events[0].number("ranks")); }),
              HasSubstr("events.csv:2: ranks is \"two\""));
  EXPECT_THAT(failure_of([] {
                profile::options_of({"e.csv", "-o", "t.csv", "--repeat", "0"});
              }),
              HasSubstr("--repeat"));
  EXPECT_THAT(failure_of([] { profile::options_of({"e.csv", "--wrong", "1"}); }), HasSubstr("--wrong"));
  EXPECT_THAT(failure_of([] { profile::options_of({"e.csv"}); }), HasSubstr("-o times.csv"));
}

TEST(ProfileRows, ReadTheCommandLine) {
  const auto options = profile::options_of({"e.csv", "-o", "t.csv", "--device", "2", "--warm-up", "0"});
  EXPECT_EQ(options.events, "e.csv");
  EXPECT_EQ(options.output, "t.csv");
  EXPECT_EQ(options.device, 2);
  EXPECT_EQ(options.warm_up, 0);
  EXPECT_EQ(options.repeat, 50);
}

}  // namespace
}  // namespace foreflow::cost::profile_rows_test
