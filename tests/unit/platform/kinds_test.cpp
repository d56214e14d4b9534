#include "platform/kinds.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace foreflow::platform {
namespace {

template <class T>
using Changes = std::vector<std::function<void(T&)>>;

Device server_gpu() {
  return {.name             = "node0-gpu0",
          .kind             = "A",
          .node             = "node0",
          .memory           = Bytes(80e9),
          .memory_bandwidth = BytesPerSecond(2e12),
          .peaks            = {{"f32", FlopsPerSecond(19.5e12)}},
          .launch           = Seconds(5e-6)};
}

Link server_nic() {
  return {.name = "node0-nic0_UP", .kind = "nic", .bandwidth = BytesPerSecond(25e9), .latency = Seconds(2e-6)};
}

TEST(KindNumbers, AreTheSameForItemsThatDifferInNameAndPosition) {
  KindNumbers<Device> devices;
  Device other = server_gpu();
  other.name   = "node1-gpu5";
  other.node   = "node1";
  other.rail   = 5;
  EXPECT_EQ(devices.of(server_gpu()), 0);
  EXPECT_EQ(devices.of(other), 0);
  ASSERT_EQ(devices.examples().size(), 1U);
  EXPECT_EQ(devices.examples()[0].name, "node0-gpu0") << "the first item stands for its kind";

  KindNumbers<Link> links;
  Link back = server_nic();
  back.name = "node0-nic0_DOWN";
  EXPECT_EQ(links.of(server_nic()), 0);
  EXPECT_EQ(links.of(back), 0);
}

TEST(KindNumbers, DifferForItemsThatDifferInAnythingElse) {
  KindNumbers<Device> devices;
  const Changes<Device> of_devices = {[](Device& device) { device.kind = "B"; },
                                      [](Device& device) { device.memory = Bytes(40e9); },
                                      [](Device& device) { device.memory_bandwidth = BytesPerSecond(3e12); },
                                      [](Device& device) { device.peaks["f16"] = FlopsPerSecond(312e12); },
                                      [](Device& device) { device.launch = Seconds(0); },
                                      [](Device& device) { device.nvlink_generation = 3; },
                                      [](Device& device) { device.cpu.name = "EPYC-7742"; },
                                      [](Device& device) { device.cpu.rating = 2000; }};
  devices.of(server_gpu());
  for (size_t i = 0; i < of_devices.size(); ++i) {
    Device device = server_gpu();
    of_devices[i](device);
    EXPECT_EQ(devices.of(device), static_cast<int>(i) + 1);
  }

  KindNumbers<Link> links;
  const Changes<Link> of_links = {[](Link& link) { link.kind = "fabric"; },
                                  [](Link& link) { link.bandwidth = BytesPerSecond(50e9); },
                                  [](Link& link) { link.latency = Seconds(0); },
                                  [](Link& link) { link.efficiency = 0.9; },
                                  [](Link& link) { link.channels = 2; },
                                  [](Link& link) { link.step_latency = Seconds(1e-6); },
                                  [](Link& link) { link.in_switch = true; },
                                  [](Link& link) { link.nvlink_generation = 3; },
                                  [](Link& link) { link.fat = true; }};
  links.of(server_nic());
  for (size_t i = 0; i < of_links.size(); ++i) {
    Link link = server_nic();
    of_links[i](link);
    EXPECT_EQ(links.of(link), static_cast<int>(i) + 1);
  }
}

}  // namespace
}  // namespace foreflow::platform
