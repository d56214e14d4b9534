// The sweeps that ship answer their questions as docs/studies.md says.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "foreflow/base/text.h"
#include "foreflow/scenario/scenario.h"
#include "foreflow/sweep/sweep.h"

namespace foreflow::shipped_sweeps_test {
namespace {

// The throughput of each point by the labels of its values. Every point is done and fits in memory.
std::map<std::string, double> throughputs(const std::string& name) {
  const std::string path = FOREFLOW_SOURCE_DIR "/scenarios/sweeps/" + name + ".json";
  sweep::Options options;
  options.jobs               = 2;
  const sweep::Result result = sweep::sweep(scenario::read_source(path, {}), path, options);
  std::map<std::string, double> all;
  for (const sweep::Point& point : result.points) {
    std::string labels;
    for (size_t a = 0; a < result.axes.size(); ++a)
      labels += (a == 0 ? "" : ", ") + sweep::label(result.axes[a], point.choice[a]);
    EXPECT_EQ(point.why, "") << labels;
    if (point.status != sweep::Status::done) continue;
    EXPECT_TRUE(*point.answer.find("fits")->if_bool()) << labels;
    all.emplace(labels, *point.answer.find("throughput_samples_per_s")->if_double());
  }
  return all;
}

TEST(ShippedSweeps, StandInTheDocuments) {
  const std::string page = read_file(FOREFLOW_SOURCE_DIR "/docs/studies.md");
  for (const auto& entry : std::filesystem::directory_iterator(FOREFLOW_SOURCE_DIR "/scenarios/sweeps"))
    EXPECT_NE(page.find("foreflow sweep scenarios/sweeps/" + entry.path().filename().string()), std::string::npos);
}

TEST(ShippedSweeps, EachCardMoreHelps) {
  auto found = throughputs("nics_per_node");
  for (const std::string strategy : {"dp=8 pp=1", "dp=4 pp=2", "dp=2 pp=4"}) {
    const double one = found["1, " + strategy], eight = found["8, " + strategy];
    EXPECT_LT(one, found["2, " + strategy]);
    EXPECT_LT(found["2, " + strategy], found["4, " + strategy]);
    EXPECT_LT(1.03 * found["4, " + strategy], eight);
    EXPECT_GT(eight, 1.3 * one);
  }
}

TEST(ShippedSweeps, OversubscriptionCostsAFatTreeMuchAndRailsNothing) {
  auto found = throughputs("oversubscription");
  for (const std::string ratio : {"2", "4", "8"}) {
    EXPECT_NEAR(found["rail_optimized, " + ratio], found["rail_optimized, 1"], 1e-3 * found["rail_optimized, 1"]);
  }
  EXPECT_LT(found["fat_tree2, 2"], 0.95 * found["fat_tree2, 1"]);
  EXPECT_LT(found["fat_tree2, 4"], 0.9 * found["fat_tree2, 2"]);
  EXPECT_LT(found["fat_tree2, 8"], 0.8 * found["fat_tree2, 4"]);
}

// In a domain of 72 nine replicas share nine network cards for their rings, and tensor parallelism stays on NVLink.
TEST(ShippedSweeps, ALargeNvlinkDomainHelpsGradientsAndTensorParallelism) {
  auto found = throughputs("nvlink_domain");
  EXPECT_GT(found["72, dp=18 tp=8"], 1.6 * found["8, dp=18 tp=8"]);
  EXPECT_GT(found["72, dp=6 tp=24"], 1.4 * found["8, dp=6 tp=24"]);
  EXPECT_GT(found["8, dp=18 tp=8"], found["8, dp=6 tp=24"]);
}

TEST(ShippedSweeps, ZeroSavesMemoryAndOverlapTime) {
  const std::string path = FOREFLOW_SOURCE_DIR "/scenarios/sweeps/zero.json";
  sweep::Options options;
  options.jobs               = 2;
  const sweep::Result result = sweep::sweep(scenario::read_source(path, {}), path, options);
  std::map<std::pair<std::string, std::string>, std::pair<double, double>>
      found;  // seconds and bytes by stage and overlap
  for (const sweep::Point& point : result.points) {
    const auto at =
        std::pair(sweep::label(result.axes[0], point.choice[0]), sweep::label(result.axes[1], point.choice[1]));
    ASSERT_EQ(point.status, sweep::Status::done) << point.why;
    found[at] = {*point.answer.find("iteration_time_s")->if_double(),
                 static_cast<double>(*point.answer.find("peak_memory_bytes")->if_int())};
    EXPECT_EQ(*point.answer.find("fits")->if_bool(), at.first != "0");
  }
  for (const std::string stage : {"1", "2", "3"}) {
    EXPECT_LT((found[{stage, "true"}].first), (found[{stage, "false"}].first));
    EXPECT_LT((found[{stage, "true"}].second), 0.8 * (found[{std::to_string(stage[0] - '1'), "true"}].second));
  }
  EXPECT_LT((found[{"2", "true"}].first), (found[{"1", "true"}].first));
  EXPECT_LT((found[{"3", "true"}].first), (found[{"2", "true"}].first));
  EXPECT_GT((found[{"3", "false"}].first), 1.3 * (found[{"3", "true"}].first));
}

TEST(ShippedSweeps, TensorParallelGroupsBelongInsideServers) {
  auto found = throughputs("placement");
  for (const std::string ratio : {"1", "4"}) {
    EXPECT_NEAR(found[ratio + ", order=tp-dp-pp"], found[ratio + ", order=tp-pp-dp"],
                1e-3 * found[ratio + ", order=tp-dp-pp"]);
    for (const char* other : {"order=dp-tp-pp", "policy=spread", "policy=random seed=1"})
      EXPECT_LT(1.5 * found[fmt::format("{}, {}", ratio, other)], found[ratio + ", order=tp-dp-pp"])
          << ratio << " " << other;
  }
}

}  // namespace
}  // namespace foreflow::shipped_sweeps_test
