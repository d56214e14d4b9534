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

TEST(ReshardPorts, InsideEachOfSeveralNodesDevicesHaveThePortsOfOneNode) {
  const Ports one  = ports_of(machine("p3_8xlarge", 1), move(consecutive({2}, 0), consecutive({2}, 2)));
  const Ports both = ports_of(machine("p3_8xlarge", 2), move(consecutive({4}, 0), consecutive({4}, 4)));
  EXPECT_EQ(one.inside, nullptr);
  ASSERT_NE(both.inside, nullptr);
  ASSERT_EQ(both.inside->ports.size(), 8U);
  for (const int device : {0, 3, 4, 7}) {
    const Port& port = both.inside->ports.at(static_cast<size_t>(both.inside->port(device)));
    EXPECT_EQ(port.out, one.ports[static_cast<size_t>(device % 4)].out) << device;
    EXPECT_EQ(both.inside->host(device), both.inside->port(device)) << device;
  }
  EXPECT_EQ(both.inside->pace(6, 7), one.pace(2, 3));
}

TEST(ReshardPorts, KnowTheSlowLinkBetweenTwoOfThem) {
  const auto platform = platform::load_file(std::string(FOREFLOW_SOURCE_DIR) + "/platforms/two_sites.xml");
  const Ports ports   = ports_of(platform, move(consecutive({4}, 0), consecutive({3}, 4)));
  ASSERT_EQ(ports.hosts.size(), 3U);
  EXPECT_EQ(ports.pace(ports.port(0), ports.port(4)), BytesPerSecond(1.25e9));  // the rented line
  EXPECT_EQ(ports.pace(ports.port(4), ports.port(6)), BytesPerSecond(12.5e9));  // cards of one site
}

}  // namespace
}  // namespace foreflow::reshard::ports_test
