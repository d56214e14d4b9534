// A small MLP with default parameters, as the DistIR authors' simulator was run on it; in both precisions.
#include <gtest/gtest.h>

#include "published/distir/aggregation.h"
#include "published/distir/rows.h"
#include "support/data.h"

namespace foreflow::published::mlp_xs_test {
namespace {

const std::string kBase = FOREFLOW_SOURCE_DIR "/tests/published/distir/mlp_xs.json";

constexpr double kRounding = 1e-9;

class Reference : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    rows_ = read_csv(test::data(std::string("distir/mlp_xs_") + GetParam() + ".csv"));
    ASSERT_EQ(rows_.size(), 17U);
  }

  scenario::Scenario scenario_of(const Row& row) const {
    const bool half = std::string_view(GetParam()) == "fp16";
    return at(kBase, row, {half ? "workload.dtype=f16" : "workload.dtype=f32"});
  }

  scenario::Outcome run(const scenario::Scenario& scenario) const {
    return scenario::run(scenario, scenario::build(scenario), platform_);
  }

  const scenario::PlatformRef platform_ = scenario::load_platform(scenario::load_file(kBase).platform);
  std::vector<Row> rows_;
};

TEST_P(Reference, IterationsAreOursAndTheLaunchesOfCopies) {
  for (const Row& row : rows_) {
    const scenario::Scenario scenario = scenario_of(row);
    const Seconds ours                = run(scenario).summary.iteration_time;
    const Seconds theirs(row.number("latency_s"));
    EXPECT_GT(theirs / ours, 1 - kRounding) << describe(row);
    EXPECT_LT(theirs / (ours + time_of_copies(scenario)), 1 + kRounding) << describe(row);
  }
}

TEST_P(Reference, PeaksOfMemoryAreOursAndTheCopies) {
  for (const Row& row : rows_) {
    const scenario::Scenario scenario = scenario_of(row);
    EXPECT_EQ(peak_with_copies(scenario, run(scenario)).value(), row.number("peak_memory_bytes")) << describe(row);
  }
}

INSTANTIATE_TEST_SUITE_P(Precision, Reference, testing::Values("fp16", "fp32"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace foreflow::published::mlp_xs_test
