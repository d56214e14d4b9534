// What `foreflow reproduce` promises of measured iterations, layers and kernels, with one calibration for each device
// and one profile for each framework. The measurements are in tests/data; large tables of kernels are in shared/data.
#include <gtest/gtest.h>

#include <cmath>

#include "foreflow/reproduce/reproduce.h"
#include "support/environment.h"
#include "support/shared.h"
#include "support/temporary.h"

namespace foreflow::published::iterations_test {
namespace {

struct Promise {
  const char* name;
  size_t rows;
  double mape, spearman;
};

void expect_as_promised(const Promise& promise) {
  const auto& [name, rows, mape, spearman] = promise;
  const reproduce::Result result =
      reproduce::reproductions()
          .get(name, "test")
          .run({.folder = FOREFLOW_SOURCE_DIR, .jobs = 1, .timing = false, .finished = {}});
  EXPECT_EQ(result.rows.size(), rows);
  const reproduce::Agreement found = agreement(result);
  EXPECT_LT(*found.mape, mape);
  if (found.spearman) {
    EXPECT_GT(*found.spearman, spearman);
  }
}

class Iterations : public testing::TestWithParam<Promise> {};

// From tests/data, also where shared/data has the same files.
TEST_P(Iterations, ArePredictedAsPromised) {
  const test::TemporaryFolder empty;
  const test::EnvironmentVariable shared("FOREFLOW_SHARED", empty.path().string());
  expect_as_promised(GetParam());
}

class LargeTables : public testing::TestWithParam<Promise> {};

TEST_P(LargeTables, ArePredictedAsPromised) {
  FOREFLOW_SHARED_OR_SKIP(data, "data/layers");
  expect_as_promised(GetParam());
}

// Rows of mlperf are 2 to 4 % longer than predicted: what the profile names as not modelled is among the reasons.
// Rows of alpa are 2 to 10 % longer than predicted: products on V100 in long runs, which DeepBench does not measure.
INSTANTIATE_TEST_SUITE_P(Measured, Iterations,
                         testing::Values(Promise{"vtrain", 240, 0.04, 0.995}, Promise{"dlperf", 8, 0.06, 0.9},
                                         Promise{"mlperf", 2, 0.035, 0}, Promise{"simumax", 4, 0.03, 0.99},
                                         Promise{"sailor", 5, 0.06, 0.99}, Promise{"megatron_2020", 12, 0.12, 0.7},
                                         Promise{"llm_foundry", 149, 0.065, 0.995}, Promise{"alpa", 6, 0.08, 0.95},
                                         Promise{"distir_pcie", 81, 0.09, 0.99}),
                         [](const auto& info) { return std::string(info.param.name); });

// Laws were fitted to some kernels of vidur_layers (products and additions of the A40, additions), of
// llmcompass_kernels (softmax, norms, GELU) and of simumax_kernels (products, attention).
INSTANTIATE_TEST_SUITE_P(MeasuredLayers, Iterations,
                         testing::Values(Promise{"korthikanti_layers", 10, 0.05, 0.96},
                                         Promise{"zero_bubble_passes", 36, 0.09, 0.93},
                                         Promise{"galvatron_layers", 24, 0.08, 0.99},
                                         Promise{"galvatron_memory", 8, 0.005, 0.8},
                                         Promise{"llmcompass_kernels", 52, 0.13, 0.985}),
                         [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(MeasuredLayers, LargeTables,
                         testing::Values(Promise{"sailor_layers", 276, 0.14, 0.99},
                                         Promise{"vidur_layers", 3132, 0.11, 0.99},
                                         Promise{"simumax_kernels", 905, 0.1, 0.99}),
                         [](const auto& info) { return std::string(info.param.name); });

// To which nothing was fitted; the rows are in this repository.
TEST(StatedThroughputs, OfLlama3UnderMegatronBridgeArePredicted) {
  const reproduce::Result result =
      reproduce::reproductions()
          .get("megatron_bridge", "test")
          .run({.folder = FOREFLOW_SOURCE_DIR, .jobs = 1, .timing = false, .finished = {}});
  EXPECT_EQ(result.rows.size(), 19U);
  const reproduce::Agreement found = agreement(result);
  EXPECT_LT(*found.mape, 0.05);
  EXPECT_GT(*found.spearman, 0.99);
  for (const reproduce::Row& row : result.rows) EXPECT_LT(std::abs(*row.relative_error), 0.15) << row.name;
}

}  // namespace
}  // namespace foreflow::published::iterations_test
