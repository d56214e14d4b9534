#include "foreflow/execute/trace.h"

#include <gmock/gmock.h>

#include <fstream>

#include "execute/trace_events.h"
#include "foreflow/base/error.h"
#include "support/shared.h"

namespace foreflow::execute::trace_test {
namespace {

// Made by hand: rank 1 differs from rank 0 in how long it waits for messages.
const std::string kFolder = FOREFLOW_SOURCE_DIR "/tests/data/traces/";
const std::string kRank0 = kFolder + "two_layers_rank0.json", kRank1 = kFolder + "two_layers_rank1.json.gz";

const cost::Measurement& of(const TraceMeasurements& found, const std::string& signature) {
  for (const cost::Measurement& one : found.measurements) {
    if (one.signature == signature) return one;
  }
  throw Error("test", "nothing was measured of " + signature);
}

TEST(Trace, GivesAnOpTheTimeOfAllItsKernels) {
  const TraceMeasurements found = read_traces({kRank0});
  // Two executions of a product and the sum of its parts: 18 + 2 and 19 + 2 us.
  const auto& gemm = of(found, "Gemm(f32[64x256] f32[256x512] f32[512]) -> f32[64x512]");
  EXPECT_NEAR(gemm.time.value(), 20.5e-6, 1e-12);
  EXPECT_NEAR(gemm.fastest.value(), 20e-6, 1e-12);
  EXPECT_EQ(gemm.count, 2);
  EXPECT_EQ(gemm.kind, cost::Measurement::Kind::compute);
  EXPECT_GE(gemm.flops.value(), 2.0 * 64 * 256 * 512);
}

TEST(Trace, TakesTheInnermostOpThatIsOneOfOurs) {
  // relu launches its kernel inside of clamp_min.
  EXPECT_NEAR(of(read_traces({kRank0}), "Relu(f32[64x512]) -> f32[64x512]").time.value(), 3e-6, 1e-12);
}

TEST(Trace, NamesTheOpsThatItCannotMeasure) {
  const TraceMeasurements found = read_traces({kRank0});
  ASSERT_EQ(found.others.size(), 1U);
  EXPECT_NEAR(found.others.at("aten::nonzero").value(), 5e-6, 1e-12);
  EXPECT_NEAR((found.all - found.matched).value(), 5e-6, 1e-12);
}

TEST(Trace, CountsAMessageFromWhenAllRanksHaveCome) {
  const std::string sum = "MPIAllreduce 524288 B over 2";
  // Rank 0 waits 30 us in the second of two, rank 1 25 us in the first.
  EXPECT_NEAR(of(read_traces({kRank0}), sum).time.value(), 55e-6, 1e-12);
  const TraceMeasurements of_both = read_traces({kRank0, kRank1});
  const cost::Measurement& both   = of(of_both, sum);
  EXPECT_NEAR(both.time.value(), 40e-6, 1e-12);
  EXPECT_EQ(both.count, 2);
  EXPECT_EQ(both.ranks, 2);
}

TEST(Trace, TakesTheTimesFromLaunchToLaunchOfEachThread) {
  const TraceMeasurements found = read_traces({kRank0});
  // On the thread of the forward pass: 10, 40, 50, 10, 40 and 25 us.
  EXPECT_EQ(found.kernel.count, 6);
  EXPECT_NEAR(found.kernel.median.value(), 32.5e-6, 1e-12);
  EXPECT_EQ(found.gradient.count, 1);
  EXPECT_NEAR(found.gradient.median.value(), 24e-6, 1e-12);
  // 76 us after the product, then 400 us.
  EXPECT_EQ(found.collective.count, 2);
  EXPECT_NEAR(found.collective.median.value(), 238e-6, 1e-12);
}

void expect_refused(const std::string& text, const std::string& what) {
  try {
    read_events(text, "t.json");
    ADD_FAILURE() << "accepted " << text;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("t.json"));
    EXPECT_THAT(error.what(), testing::HasSubstr(what));
    EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("\n")));
  }
}

TEST(Trace, SaysWhereItIsNone) {
  expect_refused("[1]", "byte 0");
  expect_refused(R"({"schemaVersion": 1})", "traceEvents");
  expect_refused("{}", R"(it has no "traceEvents"; other measurements are CSV files)");
  expect_refused(R"({"traceEvents": [{"ph": "X"}, {"ph": 'X'}]})", "event 1");
  expect_refused(R"({"traceEvents": [{"ph": "X"})", "should follow");
  expect_refused(R"({"traceEvents": [{"ph": "X")", "ends too early");
  expect_refused(R"({"traceEvents": []})", "ProfilerActivity.CUDA");
  EXPECT_THROW(read_traces({kFolder + "absent.json.gz"}), Error);
}

// A trace of one kernel.
std::string trace_with(const std::string& name, const std::string& facts) {
  const std::string file = testing::TempDir() + name;
  std::ofstream(file) << "{" << facts << R"("traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::relu", "tid": 1, "ts": 1000, "dur": 60, "args": {"Input Dims": [[64, 256]], "Input type": ["float"]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 1, "ts": 1010, "dur": 5, "args": {"correlation": 3}},
{"ph": "X", "cat": "kernel", "name": "relu", "ts": 1030, "dur": 10, "args": {"device": 0, "correlation": 3}}]})";
  return file;
}

std::string of_rank(int rank, int world, const std::string& device) {
  const std::string name = std::to_string(rank) + "_of_" + std::to_string(world) + device + ".json";
  return trace_with(name, R"("deviceProperties": [{"id": 0, "name": ")" + device +
                              R"("}], "distributedInfo": {"rank": )" + std::to_string(rank) + R"(, "world_size": )" +
                              std::to_string(world) + "}, ");
}

void expect_apart(const std::string& first, const std::string& second, const std::string& what) {
  try {
    read_traces({first, second});
    ADD_FAILURE() << "accepted " << first << " and " << second;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(second));
    EXPECT_THAT(error.what(), testing::HasSubstr(first));
    EXPECT_THAT(error.what(), testing::HasSubstr(what));
  }
}

TEST(Trace, TakesTheTracesOfOneRunOnly) {
  expect_apart(kRank0, kRank0, "is of rank 0");
  expect_apart(of_rank(0, 8, "T4"), of_rank(1, 2, "T4"), "its run has 2 ranks");
  expect_apart(of_rank(0, 8, "T4"), of_rank(1, 8, "A100"), "ran on A100");
  EXPECT_EQ(read_traces({of_rank(0, 8, "T4"), of_rank(3, 8, "T4")}).world, 8);
  EXPECT_EQ(read_traces({kRank0}).world, 2);
}

TEST(Trace, WithoutARankMayBeOfAnyRun) {
  const std::string first = trace_with("first.json", ""), second = trace_with("second.json", "");
  EXPECT_EQ(read_traces({first, second, first}).world, 0);
}

TEST(Trace, SaysThatACompressedFileIsCutOff) {
  std::ifstream whole(kRank1, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(whole)), std::istreambuf_iterator<char>());
  ASSERT_GT(bytes.size(), 300U);
  const std::string cut = testing::TempDir() + "cut.json.gz";
  std::ofstream(cut, std::ios::binary) << bytes.substr(0, bytes.size() - 100);
  EXPECT_THROW(read_traces({cut}), Error);
}

// Eight V100 that train DLRM (facebookresearch/param, MIT), of which rank 0 is here: shapes are recorded, sizes of
// messages only as operands of "nccl:" ranges.
TEST(Trace, OfEightV100HasProductsAndMessages) {
  FOREFLOW_SHARED_OR_SKIP(archive, "traces/PARAM_dlrm_kineto_V100x8.tar.gz");
  const std::string file = testing::TempDir() + "worker0.json";
  const std::string command =
      "tar -xzOf '" + archive.string() + "' --wildcards '*worker0_step_12*' > '" + file + "' 2> /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const TraceMeasurements found = read_traces({file});
  EXPECT_GT(found.matched / found.all, 0.6);
  of(found, "Gemm(f32[16x13] f32[13x256] f32[256]) -> f32[16x256]");
  of(found, "MPIAllreduce 1576964 B over 8");
  of(found, "MPIAlltoall 24576 B over 8");
}

// Two A100 (facebookresearch/HolisticTraceAnalysis, MIT): without shapes of ops, but its kernels of NCCL say what they
// send.
TEST(Trace, OfTwoA100HasMessagesWithoutShapes) {
  FOREFLOW_SHARED_OR_SKIP(file, "traces/HTA_nccl_data_A100x2.json.gz");
  const TraceMeasurements found = read_traces({file.string()});
  for (const cost::Measurement& one : found.measurements) EXPECT_EQ(one.kind, cost::Measurement::Kind::message);
  EXPECT_GT(of(found, "MPIAllreduce 26550272 B over 2").time, Seconds(0));
  EXPECT_GT(found.kernel.count, 500);
}

}  // namespace
}  // namespace foreflow::execute::trace_test
