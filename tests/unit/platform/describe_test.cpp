#include "foreflow/platform/describe.h"

#include <gtest/gtest.h>

#include <string>

#include "foreflow/base/error.h"
#include "foreflow/platform/load.h"

namespace foreflow::platform::describe_test {
namespace {

Platform machine(const std::string& name, int nodes) { return make(topologies().get(name, "test"), nodes); }

TEST(Bisection, IsTheNvlinksOfHalfTheGpusInsideANode) {
  EXPECT_DOUBLE_EQ(bisection_bandwidth(machine("dgx2", 1)).value(), 8 * 150e9);
  EXPECT_DOUBLE_EQ(bisection_bandwidth(machine("dgx_a100", 1)).value(), 4 * 300e9);
}

TEST(Bisection, IsTheNicsOfHalfTheNodes) {
  EXPECT_DOUBLE_EQ(bisection_bandwidth(machine("dgx2", 2)).value(), 8 * 12.5e9);
  EXPECT_DOUBLE_EQ(bisection_bandwidth(machine("p3_8xlarge", 4)).value(), 2 * 1.25e9);
  EXPECT_DOUBLE_EQ(bisection_bandwidth(machine("dgx_a100", 8)).value(), 4 * 8 * 25e9);
}

TEST(Bisection, GivesAFlowWhatOthersCannotUse) {
  // d0 -> d3 and d1 -> d4 share link 0 of 10 B/s, but d1 -> d4 is limited to 2 by link 1; d2 -> d5 crosses link 2
  // twice.
  const Device device{"d", "K", "n", Bytes(1), BytesPerSecond(1), {{"f32", FlopsPerSecond(1)}}, Seconds(0)};
  std::vector<Link> links = {{"l0", "", BytesPerSecond(10), Seconds(0)},
                             {"l1", "", BytesPerSecond(2), Seconds(0)},
                             {"l2", "", BytesPerSecond(7), Seconds(0)}};
  std::vector<Route> routes(36);
  routes[0 * 6 + 3].links = {0};
  routes[1 * 6 + 4].links = {0, 1};
  routes[2 * 6 + 5].links = {2, 2};
  const Platform platform("six", std::vector<Device>(6, device), links, routes);
  EXPECT_DOUBLE_EQ(bisection_bandwidth(platform).value(), (10 - 2) + 2 + 7 / 2.0);
  EXPECT_DOUBLE_EQ(route_bandwidth(platform, platform.route(2, 5)).value(), 7 / 2.0);
}

TEST(Bisection, OfOneDeviceIsZero) {
  const Device device{"d", "K", "n", Bytes(1), BytesPerSecond(1), {{"f32", FlopsPerSecond(1)}}, Seconds(0)};
  EXPECT_EQ(bisection_bandwidth(Platform("one", {device}, {}, {Route{}})).value(), 0);
}

TEST(Describe, ReadsAsTextForPeople) {
  EXPECT_EQ(describe(machine("p3_8xlarge", 2)),
            "p3_8xlarge_2: 8 devices in 2 nodes\n"
            "     8 x V100-SXM2-16GB: 16 GB, 900 GB/s, f16 125 TFLOP/s, f32 15.7 TFLOP/s, f64 7.8 TFLOP/s; host "
            "Xeon-E5-2686v4\n"
            "links, one direction each\n"
            "     4 x nic: 1.25 GB/s, 4.15 us\n"
            "    16 x nvlink: 100 GB/s, 1.7 us\n"
            "    16 x pcie: 15.5 GB/s, 2.85 us\n"
            "bisection 1.25 GB/s, one way, the least cut of all halves\n");
}

TEST(Describe, ShowsWhatAProtocolMakesOfLinks) {
  Platform plain = machine("p3_8xlarge", 2);
  LinkNumbers change;
  change.stated              = {"efficiency", "channels", "step_latency"};
  change.values.efficiency   = 0.8;
  change.values.channels     = 1;
  change.values.step_latency = Seconds(2e-6);
  const Platform platform    = with_links(plain, {{"nic", change}});
  EXPECT_NE(describe(platform).find("     4 x nic: 1.25 GB/s, 4.15 us, efficiency 0.8, at most 1 channel, 2 us more "
                                    "for a step\n"),
            std::string::npos)
      << describe(platform);
  EXPECT_DOUBLE_EQ(bisection_bandwidth(platform).value(), 0.8 * bisection_bandwidth(plain).value());
  const Json json = route_to_json(platform, "node0-gpu0", "node1-gpu2");
  EXPECT_DOUBLE_EQ(*json.find("bandwidth_bytes_per_s")->if_double(), 1e9);
  EXPECT_DOUBLE_EQ(*json.find("latency_s")->if_double(), 14e-6);
  EXPECT_DOUBLE_EQ(*json.find("step_latency_s")->if_double(), 18e-6);
  EXPECT_EQ(json.find("link_types")->if_array()->at(0).dump_compact(),
            R"({"kind":"nic","count":4,"bandwidth_bytes_per_s":1250000000.0,"latency_s":4.15e-06,"efficiency":0.8,)"
            R"("channels":1,"step_latency_s":2e-06,"reduces":false})");
}

TEST(Describe, CountsLinksByKindInJson) {
  const Json json = to_json(machine("p3_8xlarge", 2));
  EXPECT_EQ(json.find("links")->dump_compact(), "{\"nic\":4,\"nvlink\":16,\"pcie\":16}");
  EXPECT_EQ(*json.find("bisection_bytes_per_s")->if_double(), 1.25e9);
  ASSERT_EQ(json.find("devices")->if_array()->size(), 8u);
  const Json& device = json.find("devices")->if_array()->at(5);
  EXPECT_EQ(*device.find("name")->if_string(), "node1-gpu1");
  EXPECT_EQ(*device.find("memory_bytes")->if_int(), 16000000000);
  EXPECT_EQ(*device.find("peak_flops_per_s")->find("f16")->if_double(), 125e12);
}

TEST(Describe, ShowsARoute) {
  const Platform platform = machine("p3_8xlarge", 2);
  EXPECT_EQ(describe_route(platform, "node0-gpu0", "node1-gpu2"),
            "node0-gpu0 -> node1-gpu2: 14 us at 1.25 GB/s\n"
            "  node0-gpu0-pcie_UP: 15.5 GB/s, 2.85 us\n"
            "  node0-nic0_UP: 1.25 GB/s, 4.15 us  <- bottleneck\n"
            "  node1-nic0_DOWN: 1.25 GB/s, 4.15 us\n"
            "  node1-gpu2-pcie_DOWN: 15.5 GB/s, 2.85 us\n");
  const Json json = route_to_json(platform, "node0-gpu0", "node1-gpu2");
  EXPECT_EQ(json.find("route")->dump_compact(),
            "[\"node0-gpu0-pcie_UP\",\"node0-nic0_UP\",\"node1-nic0_DOWN\",\"node1-gpu2-pcie_DOWN\"]");
  EXPECT_DOUBLE_EQ(*json.find("latency_s")->if_double(), 2 * (2.85e-6 + 4.15e-6));
  EXPECT_DOUBLE_EQ(*json.find("bandwidth_bytes_per_s")->if_double(), 1.25e9);
}

TEST(Describe, NamesTheNearestDevice) {
  const Platform platform = machine("p3_8xlarge", 1);
  try {
    route_to_json(platform, "node0-gpu0", "node0-gpu7x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "p3_8xlarge_1: unknown device \"node0-gpu7x\"; the nearest is \"node0-gpu0\"");
  }
  EXPECT_THROW(route_to_json(platform, "node0-gpu0", "node0-gpu0"), Error);
}

}  // namespace
}  // namespace foreflow::platform::describe_test
