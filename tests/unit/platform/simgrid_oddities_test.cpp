// What SimGrid 3.32 reads beyond its manual, and files of other tools and times. Each was tried against SimGrid itself;
// the routes of such files are compared with its own in tests/property/simgrid_routes_test.cpp.
#include <gtest/gtest.h>

#include <string>

#include "foreflow/base/error.h"
#include "foreflow/base/json.h"
#include "foreflow/base/nth.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/draw.h"
#include "foreflow/platform/load.h"
#include "platform/zones/profile_text.h"

namespace foreflow::platform::simgrid_oddities_test {
namespace {

const std::string kHead =
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n";

std::string file(const std::string& body) { return kHead + body + "</platform>\n"; }
Platform from(const std::string& body, const DevicePlan& plan = {}) { return load(file(body), "p.xml", plan); }

std::string zone(const std::string& body) { return "<zone id=\"z\" routing=\"Full\">" + body + "</zone>"; }
std::string host(const std::string& id, const std::string& more = "") {
  return "<host id=\"" + id + "\" speed=\"1Gf\"" + more + "/>";
}
std::string cluster(const std::string& more, const std::string& id = "c") {
  return "<cluster id=\"" + id +
         "\" prefix=\"n\" suffix=\"\" radical=\"5-24\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" " + more + "/>";
}

DevicePlan eight_gpus() {
  static const Json text = parse_json(R"({"device": "L4", "devices_per_host": 8})", "s.json");
  return read_device_plan(JsonView(text, "s.json"));
}

std::string trace(const std::string& steps) { return "<trace id=\"t\" periodicity=\"0\">" + steps + "</trace>"; }
const std::string kConnect = "<trace_connect trace=\"t\" element=\"b\" kind=\"SPEED\"/>";

std::string links_between(const Platform& platform, const std::string& from, const std::string& to) {
  std::string names;
  for (const int link : platform.route(device_index(platform, from), device_index(platform, to)).links)
    names += nth(platform.links(), link).name + " ";
  return names;
}

// The battery of SimGrid's battery_platform.xml.
TEST(SimgridOddities, HostsOfSpeedZeroHaveNoDevice) {
  const std::string body  = zone("<host id=\"battery\" speed=\"0f\"/>" + host("a") + host("b"));
  const Platform platform = from(body);
  ASSERT_EQ(platform.devices().size(), 2u);
  EXPECT_EQ(platform.devices()[0].name, "a");
  EXPECT_EQ(platform.devices()[1].name, "b");
  EXPECT_EQ(platform.node(0), 1);
  EXPECT_EQ(platform.find_device("battery"), std::nullopt);
  EXPECT_EQ(platform.find_device("b"), 1);
  EXPECT_NE(describe(platform).find("; 1 host of speed 0 with no device"), std::string::npos);
}

TEST(SimgridOddities, HostsOfSpeedZeroTakeDevicesThatAreGiven) {
  const Platform platform = from(zone("<host id=\"battery\" speed=\"0f\"/>" + host("a")), eight_gpus());
  EXPECT_EQ(platform.devices().size(), 16u);
  EXPECT_EQ(platform.find_device("battery-gpu7"), 7);
}

TEST(SimgridOddities, ProfilesOfHostsOfSpeedZeroAreDropped) {
  const Platform platform = from(trace("3 1") + zone(host("a") + "<host id=\"b\" speed=\"0f\"/>") + kConnect);
  EXPECT_TRUE(platform.declared().profiles.empty());
}

TEST(SimgridOddities, ThePlatformOfAPanelAloneLoads) {
  const Platform platform = from(zone("<host id=\"panel\" speed=\"0f\"/>"));
  EXPECT_EQ(platform.devices().size(), 0u);
  EXPECT_NE(describe(platform).find("1 host of speed 0 with no device"), std::string::npos);
  EXPECT_THROW(draw_svg(platform), Error);
}

TEST(SimgridOddities, OfTwoTracesOfOneNameTheFirstCounts) {
  const Platform platform = from(trace("3 0.25") + trace("5 0.5") + zone(host("a") + host("b")) + kConnect);
  ASSERT_EQ(platform.declared().profiles.size(), 1u);
  EXPECT_EQ(platform.declared().profiles[0].steps[0].value, 0.25);
  EXPECT_EQ(platform.declared().ignored, std::vector<std::string>{"a second trace \"t\": the first one counts"});
}

TEST(SimgridOddities, TracesAreConnectedWhenAllIsRead) {
  const Platform platform = from(trace("3 0.25") + kConnect + zone(host("a") + host("b")));
  ASSERT_EQ(platform.declared().profiles.size(), 1u);
  EXPECT_EQ(platform.declared().profiles[0].indices, std::vector<int>{1});
}

TEST(SimgridOddities, LinesOfAProfileMayEndInRemarks) {
  const zones::Steps steps = zones::read_profile("0.0 1.0 # first\n5 0.5 2\nPERIODICITY 9 seconds\n", 0);
  ASSERT_EQ(steps.steps.size(), 2u);
  EXPECT_EQ(steps.steps[1].value, 0.5);
  EXPECT_EQ(steps.period.value(), 9);
}

TEST(SimgridOddities, ZeroStandsForNoLinkOfACluster) {
  const Platform plain = from(cluster(""));
  const Platform zeroes =
      from(cluster("bb_bw=\"0\" bb_lat=\"0\" limiter_link=\"0Bps\" loopback_bw=\"0\" loopback_lat=\"0\""));
  EXPECT_EQ(zeroes.links().size(), plain.links().size());
  EXPECT_EQ(links_between(zeroes, "n5", "n6"), "c_link_5_UP c_link_6_DOWN ");
}

TEST(SimgridOddities, ALoopbackOfALatencyAloneIsLeftOut) {
  const Platform platform = from(cluster("loopback_bw=\"0\" loopback_lat=\"1us\""));
  EXPECT_EQ(platform.links().size(), from(cluster("")).links().size());
  EXPECT_EQ(platform.declared().ignored, std::vector<std::string>{"loopback_lat of cluster c: without loopback_bw"});
}

TEST(SimgridOddities, ATopologyTakesTheFirstOfTooManyHosts) {
  const Platform torus = from(cluster("topology=\"TORUS\" topo_parameters=\"3,4\""));
  ASSERT_EQ(torus.devices().size(), 12u);
  EXPECT_EQ(torus.devices()[11].name, "n16");
  EXPECT_EQ(torus.find_device("n17"), std::nullopt);
  EXPECT_EQ(from(cluster("topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2;1,2\"")).devices().size(), 16u);
  EXPECT_EQ(from(cluster("topology=\"DRAGONFLY\" topo_parameters=\"2,1;1,1;2,1;2\"")).devices().size(), 8u);
}

TEST(SimgridOddities, AHostMayBeCalledLikeARouterOrAZoneBeforeIt) {
  const std::string ways =
      "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/><route src=\"z\" dst=\"r\"><link_ctn id=\"l\"/></route>";
  const Platform platform = from(zone("<router id=\"r\"/>" + host("z") + host("r") + ways));
  EXPECT_EQ(links_between(platform, "z", "r"), "l ");
  EXPECT_EQ(from(cluster("", "n5")).find_device("n5"), 0);
}

TEST(SimgridOddities, BlanksAroundNumbersOfCoresAndStatesAreSkipped) {
  EXPECT_EQ(from(zone(host("a", " core=\" 4 \" pstate=\" 0\""))).devices()[0].peak("f32").value(), 4e9);
}

TEST(SimgridOddities, OfTwoBackbonesTheLastCounts) {
  const Platform platform = from(
      "<zone id=\"x\" routing=\"Cluster\"><cabinet id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-1\" speed=\"1Gf\" "
      "bw=\"1GBps\" lat=\"1us\"/><backbone id=\"one\" bandwidth=\"1GBps\" latency=\"1us\"/><backbone id=\"two\" "
      "bandwidth=\"1GBps\" latency=\"1us\"/></zone>");
  EXPECT_EQ(links_between(platform, "h0", "h1"), "link_h0_UP two link_h1_DOWN ");
  EXPECT_EQ(platform.find_link("one"), std::nullopt);
}

TEST(SimgridOddities, APropertyKindAloneIsNoDeviceOfOurs) {
  const Platform platform = from(zone(
      "<host id=\"a\" speed=\"1Gf\"><prop id=\"kind\" value=\"compute\"/><prop id=\"memory\" value=\"1e9\"/></host>"));
  ASSERT_EQ(platform.devices().size(), 1u);
  EXPECT_EQ(platform.devices()[0].kind, "CPU 1 GFLOP/s");
}

}  // namespace
}  // namespace foreflow::platform::simgrid_oddities_test
