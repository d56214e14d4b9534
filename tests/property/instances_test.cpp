// What holds for every machine that a cloud rents out.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/platform/describe.h"
#include "support/recipe_text.h"

namespace foreflow::platform::instances_test {
namespace {

class EveryInstance : public testing::TestWithParam<std::string> {
 protected:
  static Platform with(int nodes, const std::string& more = "") {
    return test::machine(fmt::format(R"({{"topology": "{}", "nodes": {}{}}})", GetParam(), nodes, more));
  }
};

TEST_P(EveryInstance, JoinsAllItsGpusAndThoseOfOtherNodes) {
  const Platform platform = with(3);
  const int gpus          = static_cast<int>(platform.devices().size()) / 3;
  EXPECT_EQ(gpus, instances().get(GetParam(), "test").gpus.usual);
  for (int to = 1; to < 3 * gpus; ++to) {
    const Route route = platform.route(0, to);
    ASSERT_FALSE(route.links.empty()) << to;
    int nics = 0;
    for (const int link : route.links) nics += nth(platform.links(), link).kind == "nic" ? 1 : 0;
    EXPECT_EQ(nics, to < gpus ? 0 : 2) << to;
  }
}

// Every NIC serves some GPU: the name promises the bandwidth of all of them.
TEST_P(EveryInstance, SendsOverAllItsNics) {
  const Platform platform     = with(2);
  const TopologyDef& instance = instances().get(GetParam(), "test");
  std::set<int> used;
  double bandwidth = 0;
  for (int gpu = 0; gpu < instance.gpus.usual; ++gpu) {
    for (const int link : platform.route(gpu, instance.gpus.usual + gpu).links) {
      const Link& crossed = nth(platform.links(), link);
      if (crossed.kind == "nic" && crossed.name.starts_with("node0-") && used.insert(link).second)
        bandwidth += crossed.bandwidth.value();
    }
  }
  EXPECT_EQ(static_cast<int>(used.size()), instance.nics.usual);
  EXPECT_DOUBLE_EQ(bisection_bandwidth(platform).value(), bandwidth);
}

TEST_P(EveryInstance, TakesOtherNetworksAndDevices) {
  const Platform platform = with(2, R"(, "network": "infiniband_xdr", "device": "B300-288GB")");
  EXPECT_EQ(platform.devices().front().kind, "B300-288GB");
  double nic = 0;
  for (const Link& link : platform.links()) nic = link.kind == "nic" ? link.bandwidth.value() : nic;
  EXPECT_EQ(nic, 100e9);
}

std::string word(const testing::TestParamInfo<std::string>& row) {
  std::string name = row.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Instances, EveryInstance, testing::ValuesIn(instances().names()), word);

TEST(Instances, AreSeventyOrMoreOfThreeClouds) {
  EXPECT_GE(instances().size(), 70u);
  EXPECT_EQ(&find_topology("ND96isr_H100_v5", "test"), instances().find("Standard_ND96isr_H100_v5"));
  EXPECT_EQ(&find_topology("dgx1", "test"), topologies().find("dgx1"));
}

TEST(Instances, SuggestTheNearestName) {
  try {
    find_topology("p5.48xlage", "c.json: $.platform.topology");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "c.json: $.platform.topology: unknown topology \"p5.48xlage\"; the nearest is "
                 "\"p5.48xlarge\" (see: foreflow list instances)");
  }
}

}  // namespace
}  // namespace foreflow::platform::instances_test
