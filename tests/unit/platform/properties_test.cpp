// What files say beyond SimGrid, as <prop> elements.
#include <gtest/gtest.h>

#include <string>

#include "foreflow/platform/load.h"
#include "support/graph_text.h"

namespace foreflow::platform::properties_test {
namespace {

using test::GraphText;
using test::prop;

std::string link(const std::string& id, const std::string& kind, const std::string& props,
                 const std::string& to = "s") {
  return "<link id=\"" + id + "\" bandwidth=\"1GBps\" latency=\"1us\">" + prop("kind", kind) + props +
         "</link><route src=\"" + id + "\" dst=\"" + to + "\"><link_ctn id=\"" + id + "\"/></route>";
}

TEST(Properties, OfDevicesSayTheirRailAndNvlink) {
  GraphText text;
  text.device("a", "n").device("b", "n", prop("rail", "5") + prop("nvlink_generation", "4")).device("c", "m");
  text.router("s").cable("a", "s", "nic").cable("b", "s", "nic").cable("c", "s", "nic");
  const Platform platform = load(text.xml(), "p.xml");
  EXPECT_EQ(platform.devices()[0].rail, 0);
  EXPECT_EQ(platform.devices()[0].nvlink_generation, 0);
  EXPECT_EQ(platform.devices()[1].rail, 5);
  EXPECT_EQ(platform.devices()[1].nvlink_generation, 4);
  EXPECT_EQ(platform.devices()[2].rail, 0);  // the first of its node
}

TEST(Properties, OfLinksSayWhatAProtocolMakesOfThem) {
  GraphText text;
  text.device("a", "n").device("b", "n").router("s");
  text.raw(link("a", "nic", prop("efficiency", "0.9") + prop("channels", "4") + prop("step_latency", "3us")));
  text.raw(link("b", "nvlink", prop("nvlink_generation", "3")));
  const Platform platform = load(text.xml(), "p.xml");
  const Link &nic = platform.links()[0], &nvlink = platform.links()[1];
  EXPECT_EQ(nic.efficiency, 0.9);
  EXPECT_EQ(nic.channels, 4);
  EXPECT_DOUBLE_EQ(nic.step_latency.value(), 3e-6);
  EXPECT_EQ(nvlink.efficiency, 1);
  EXPECT_EQ(nvlink.channels, 0);
  EXPECT_EQ(nvlink.step_latency.value(), 0);
  EXPECT_EQ(nvlink.nvlink_generation, 3);
}

TEST(Properties, OfTheZoneAndOfLinksSayWhichSwitchesReduce) {
  GraphText text;  // `s` is the switch of the server, `t` one between servers
  text.zone_prop("nvls", "yes").zone_prop("sharp", "1");
  for (const std::string name : {"a", "b", "c", "d", "e"}) text.device(name, "n");
  text.router("s").router("t");
  text.raw(link("a", "nvlink", "") + link("b", "nvlink", prop("nvls", "no")) + link("c", "pcie", "") +
           link("d", "fabric", "", "t") + link("e", "nic", prop("sharp", "0"), "t") + link("s", "nic", "", "t"));
  const Platform platform = load(text.xml(), "p.xml");
  EXPECT_TRUE(platform.links()[0].in_switch);
  EXPECT_FALSE(platform.links()[1].in_switch);
  EXPECT_FALSE(platform.links()[2].in_switch);
  EXPECT_TRUE(platform.links()[3].in_switch);
  EXPECT_FALSE(platform.links()[4].in_switch);
}

}  // namespace
}  // namespace foreflow::platform::properties_test
