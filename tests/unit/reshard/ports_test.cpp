#include "foreflow/reshard/ports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/platform/load.h"
#include "foreflow/platform/topologies.h"

namespace foreflow::reshard::ports_test {
namespace {

platform::Platform machine(const char* topology, int nodes) {
  return platform::make(platform::topologies().get(topology, "test"), nodes);
}

// A matrix that goes from the devices of one mesh to those of another.
std::vector<Move> move(const Mesh& from, const Mesh& to) {
  return {{{"", {8, 8}, Bytes(4)}, {from, {{{}, {}}}}, {to, {{{}, {}}}}}};
}

TEST(ReshardPorts, DevicesOfAHostWithOneCardShareIt) {
  const auto platform = machine("p3_8xlarge", 4);
  const Ports ports   = ports_of(platform, move(consecutive({2, 4}, 0), consecutive({2, 4}, 8)));
  EXPECT_THAT(ports.hosts, testing::ElementsAre("node0", "node1", "node2", "node3"));
  ASSERT_EQ(ports.ports.size(), 4U);
  EXPECT_EQ(ports.port(5), 1);
  EXPECT_EQ(ports.ports[1].name, "node1");
  EXPECT_EQ(ports.ports[1].out, BytesPerSecond(1.25e9));
  EXPECT_EQ(ports.ports[1].in, BytesPerSecond(1.25e9));
}

TEST(ReshardPorts, DevicesWithACardEachHavePortsOfTheirOwn) {
  const auto platform = machine("dgx_a100", 2);
  const Ports ports   = ports_of(platform, move(consecutive({8}, 0), consecutive({8}, 8)));
  EXPECT_EQ(ports.hosts.size(), 2U);
  ASSERT_EQ(ports.ports.size(), 16U);
  EXPECT_EQ(ports.ports[3].name, "node0 nic3");
  EXPECT_EQ(ports.host(12), 1);
}

TEST(ReshardPorts, InOneNodeEachDeviceIsAHostOnItsNvlink) {
  const auto platform = machine("p3_8xlarge", 1);
  const Ports ports   = ports_of(platform, move(consecutive({2}, 0), consecutive({2}, 2)));
  ASSERT_EQ(ports.ports.size(), 4U);
  EXPECT_EQ(ports.ports[2].name, "node0-gpu2");
  EXPECT_EQ(ports.ports[2].in, BytesPerSecond(100e9));
}

}  // namespace
}  // namespace foreflow::reshard::ports_test
