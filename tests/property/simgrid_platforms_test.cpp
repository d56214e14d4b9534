// What runs on the platform files that SimGrid ships: an all-reduce over all hosts takes as long as with SimGrid's own
// communications, and a data-parallel training step runs.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "foreflow/platform/load.h"
#include "foreflow/scenario/run.h"
#include "foreflow/simulate/alone.h"
#include "support/shared.h"

namespace foreflow::platform::simgrid_platforms_test {
namespace {

// Of a ring over all devices; false where the file leaves two neighbours without a route, as SimGrid would refuse.
bool is_ring(const Platform& platform) {
  const auto devices = static_cast<int>(platform.devices().size());
  for (int i = 0; i < devices; ++i) {
    if (devices > 1 &&
        (!platform.route(i, (i + 1) % devices).exists() || !platform.route((i + 1) % devices, i).exists()))
      return false;
  }
  return devices > 1;
}

std::vector<std::string> files(const std::filesystem::path& folder) {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".xml" && entry.path().filename() != "wifi.xml")
      all.push_back(entry.path().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

Seconds all_reduce(const Platform& platform, const std::string& algorithm, const std::string& engine) {
  std::vector<int> places;
  for (size_t i = 0; i < platform.devices().size(); ++i) places.push_back(static_cast<int>(i));
  return simulate::run_alone(platform, collective::algorithms().get(algorithm, "test"), collective::Kind::all_reduce,
                             Bytes(1e6), places, simulate::engines().get(engine, "test"))
      .time;
}

TEST(SimgridPlatforms, CarryAnAllReduceAsLongAsSimgridsOwnCommunications) {
  FOREFLOW_SHARED_OR_SKIP(folder, "platforms/simgrid");
  int compared = 0;
  for (const std::string& file : files(folder)) {
    const Platform platform = load_file(file);
    if (!is_ring(platform)) continue;
    SCOPED_TRACE(file);
    const Seconds ours   = all_reduce(platform, "ring", "simgrid"),
                  theirs = all_reduce(platform, "ring", "simgrid_flows");
    EXPECT_NEAR(ours.value(), theirs.value(), 1e-9 * theirs.value());
    EXPECT_GT(ours.value(), 0);
    ++compared;
  }
  EXPECT_GE(compared, 13);
}

TEST(SimgridPlatforms, CarryADataParallelTrainingStep) {
  FOREFLOW_SHARED_OR_SKIP(folder, "platforms/simgrid");
  for (const std::string& file : files(folder)) {
    const Platform platform = load_file(file);
    const int ranks         = is_ring(platform) ? static_cast<int>(platform.devices().size()) : 1;
    SCOPED_TRACE(file);
    const Json json = parse_json(
        fmt::format(
            R"({{"workload": {{"model": "mlp", "layers": 2, "hidden": 64, "dtype": "f32", "mode": "training", "optimizer": "sgd"}},
                        "platform": {{"file": "{1}"}}, "strategy": {{"dp": {0}, "global_batch": {0}}}}})",
            ranks, file),
        "test.json");
    const scenario::Outcome outcome = scenario::run(scenario::load(json, "test.json"));
    EXPECT_GT(outcome.summary.iteration_time.value(), 0);
    EXPECT_EQ(outcome.summary.assumed.size(), 1u);
  }
}

}  // namespace
}  // namespace foreflow::platform::simgrid_platforms_test
