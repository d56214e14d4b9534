// Routes of SimGrid's platform files are SimGrid's own: links, latency and bottleneck of random pairs equal those of
// Host::route_to, on the files that SimGrid ships and on generated ones of every routing.
#include "support/simgrid_routes.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/load.h"
#include "support/shared.h"
#include "support/simgrid_files.h"
#include "support/temporary.h"

namespace foreflow::platform::simgrid_routes_test {
namespace {

constexpr int kPairs = 1000;

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs random_pairs(const Platform& platform) {
  std::mt19937_64 random(1);
  Pairs pairs;
  const auto count = platform.devices().size();
  for (int i = 0; i < kPairs && count > 1; ++i) {
    const size_t from = random() % count, to = random() % count;
    if (from != to) pairs.emplace_back(platform.devices()[from].name, platform.devices()[to].name);
  }
  return pairs;
}

void expect_equal(const Platform& platform, const std::pair<std::string, std::string>& pair,
                  const test::SimgridRoute& theirs) {
  const Route ours = platform.route(device_index(platform, pair.first), device_index(platform, pair.second));
  std::vector<std::string> names;
  for (const int link : ours.links) names.push_back(nth(platform.links(), link).name);
  ASSERT_EQ(names, theirs.links) << pair.first << " to " << pair.second;
  EXPECT_NEAR(ours.latency.value(), theirs.latency, 1e-14 * theirs.latency) << pair.first << " to " << pair.second;
  double least = ours.links.empty() ? 0 : std::numeric_limits<double>::infinity();
  for (const int link : ours.links)
    least = std::min(least, platform.links().like(static_cast<size_t>(link)).bandwidth.value());
  EXPECT_EQ(least, theirs.bandwidth) << pair.first << " to " << pair.second;
}

void compare(const std::string& path) {
  const Platform platform = load_file(path);
  const Pairs pairs       = random_pairs(platform);
  const auto theirs       = test::simgrid_routes(path, pairs);
  ASSERT_EQ(theirs.size(), pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    ASSERT_NO_FATAL_FAILURE(expect_equal(platform, pairs[i], theirs[i])) << path;
  }
}

void compare(const test::SimgridFile& file) {
  const test::TemporaryFolder folder;
  const std::string path = folder / (file.name + ".xml");
  std::ofstream(path) << file.xml;
  ASSERT_NO_FATAL_FAILURE(compare(path)) << file.xml;
}

TEST(SimgridRoutes, OfFilesThatSimgridShipsAreItsOwn) {
  FOREFLOW_SHARED_OR_SKIP(folder, "platforms/simgrid");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    // SimGrid 3.32 does not read the factors in config.xml; wifi.xml is refused.
    if (entry.path().extension() != ".xml" || name == "config.xml" || name == "wifi.xml") continue;
    ASSERT_NO_FATAL_FAILURE(compare(entry.path().string()));
  }
}

TEST(SimgridRoutes, OfClustersOfEveryTopologyAreItsOwn) {
  for (const test::SimgridFile& file : test::cluster_files()) ASSERT_NO_FATAL_FAILURE(compare(file));
}

TEST(SimgridRoutes, OfWhatSimgridReadsBeyondItsManualAreItsOwn) {
  for (const test::SimgridFile& file : test::odd_files()) ASSERT_NO_FATAL_FAILURE(compare(file));
}

TEST(SimgridRoutes, OfRandomGraphsAreItsOwnAmongEquallyShortOnes) {
  for (const std::string routing : {"Floyd", "Dijkstra", "DijkstraCache"}) {
    for (uint64_t seed = 0; seed < 8; ++seed) ASSERT_NO_FATAL_FAILURE(compare(test::random_graph_file(routing, seed)));
  }
}

TEST(SimgridRoutes, OfZonesInZonesAreItsOwn) {
  for (uint64_t seed = 0; seed < 25; ++seed) ASSERT_NO_FATAL_FAILURE(compare(test::random_zones_file(seed)));
}

TEST(SimgridRoutes, NamesOfLinksAndDevicesAreFoundAgain) {
  for (const test::SimgridFile& file : test::cluster_files()) {
    const Platform platform = load(file.xml, file.name);
    for (size_t i = 0; i < platform.links().size(); ++i)
      ASSERT_EQ(platform.find_link(platform.links()[i].name), static_cast<int>(i)) << platform.links()[i].name;
    for (size_t i = 0; i < platform.devices().size(); ++i)
      ASSERT_EQ(platform.find_device(platform.devices()[i].name), static_cast<int>(i)) << platform.devices()[i].name;
  }
}

}  // namespace
}  // namespace foreflow::platform::simgrid_routes_test
