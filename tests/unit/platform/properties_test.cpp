// What files say beyond SimGrid, as <prop> elements.
#include <gtest/gtest.h>

#include <string>

#include "foreflow/platform/load.h"
#include "support/graph_text.h"

namespace foreflow::platform {
namespace {

using testing_support::GraphText;
using testing_support::prop;

// From the device of the same name to a router.
std::string link(const std::string& id, const std::string& router, const std::string& kind, const std::string& props) {
  return "<link id=\"" + id + "\" bandwidth=\"1GBps\" latency=\"1us\">" + prop("kind", kind) + props +
         "</link><route src=\"" + id + "\" dst=\"" + router + "\"><link_ctn id=\"" + id + "\"/></route>";
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
  text.raw(link("a", "s", "nic", prop("efficiency", "0.9") + prop("channels", "4") + prop("step_latency", "3us")));
  text.raw(link("b", "s", "nvlink", prop("nvlink_generation", "3")));
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
  GraphText text;
  text.zone_prop("nvls", "yes").zone_prop("sharp", "1");
  for (const std::string name : {"a", "b", "c", "d", "e"}) text.device(name, "n");
  text.router("s").router("t").cable("s", "t", "nic");
  text.raw(link("a", "s", "nvlink", "") + link("b", "s", "nvlink", prop("nvls", "no")) + link("c", "s", "pcie", "") +
           link("d", "t", "fabric", "") + link("e", "t", "nic", prop("sharp", "0")));
  const Platform platform = load(text.xml(), "p.xml");
  std::string reducing;
  for (const Link& link : platform.links()) reducing += link.in_switch ? link.name + " " : "";
  EXPECT_EQ(reducing, "s-t_UP s-t_DOWN a d ");
}

}  // namespace
}  // namespace foreflow::platform
