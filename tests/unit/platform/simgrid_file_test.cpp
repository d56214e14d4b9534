// Platform files of SimGrid: units, devices where the file names none, configuration and profiles.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "foreflow/base/json.h"
#include "foreflow/base/nth.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/load.h"
#include "platform/zones/patterns.h"
#include "platform/zones/profile_text.h"
#include "platform/zones/quantities.h"

namespace foreflow::platform::simgrid_file_test {
namespace {

const std::string kHead =
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n";

Platform from(const std::string& body, const DevicePlan& plan = {}) {
  return load(kHead + body + "</platform>\n", "p.xml", plan);
}

std::string two_hosts(const std::string& before = "") {
  return before +
         "<zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\" core=\"4\"/><host id=\"b\" speed=\"3Gf, 2Gf\" "
         "pstate=\"1\"/><link id=\"l\" bandwidth=\"1GBps\" latency=\"10us\"/><route src=\"a\" dst=\"b\"><link_ctn "
         "id=\"l\"/></route></zone>";
}

DevicePlan plan_of(const std::string& json) {
  static Json text;
  text = parse_json(json, "s.json");
  return read_device_plan(JsonView(text, "s.json"));
}

TEST(SimgridUnits, AreThoseOfItsDocumentation) {
  using namespace zones;
  EXPECT_EQ(read_bandwidth("125MBps").value(), 125e6);
  EXPECT_EQ(read_bandwidth("1Gbps").value(), 125e6);
  EXPECT_EQ(read_bandwidth("2KiBps").value(), 2048);
  EXPECT_EQ(read_bandwidth("8Mibps").value(), 1048576);
  EXPECT_EQ(read_bandwidth("1.25E9Bps").value(), 1.25e9);
  EXPECT_EQ(read_bandwidth("100").value(), 100);
  EXPECT_EQ(read_time("0").value(), 0);
  EXPECT_EQ(read_time("1w").value(), 7 * 24 * 3600);
  EXPECT_EQ(read_time("2h").value(), 7200);
  EXPECT_EQ(read_time("3m").value(), 180);
  EXPECT_DOUBLE_EQ(read_time("50us").value(), 50e-6);
  EXPECT_DOUBLE_EQ(read_time("7ps").value(), 7e-12);
  EXPECT_EQ(read_speed("5.2297E9f").value(), 5.2297e9);
  EXPECT_EQ(read_speed("2kf").value(), 2000);
  EXPECT_EQ(read_speed("3gigaflops").value(), 3e9);
  EXPECT_EQ(read_speeds("100.0Mf,50.0Mf, 20.0Mf").size(), 3u);
}

TEST(SimgridUnits, FollowNumbersAsSimgridReadsThem) {
  using namespace zones;
  EXPECT_EQ(read_bandwidth(" +1Gbps").value(), 125e6);
  EXPECT_EQ(read_speed("5Ef").value(), 5e18);
  EXPECT_EQ(read_speed("5e3Ef").value(), 5e21);
  for (const char* text : {"", "fast", "+-1s", "++1s", "1e999s", "1e-999s", "infs"})
    EXPECT_THROW(read_time(text), Error) << text;
}

TEST(SimgridFile, HostsAreCpusOfTheirSpeedAndCores) {
  const Platform platform = from(two_hosts());
  ASSERT_EQ(platform.devices().size(), 2u);
  EXPECT_EQ(platform.devices()[0].name, "a");
  EXPECT_EQ(platform.devices()[0].node, "a");
  EXPECT_EQ(platform.devices()[0].peak("f32").value(), 4e9);
  EXPECT_EQ(platform.devices()[1].peak("f32").value(), 2e9);
  EXPECT_EQ(platform.nodes(), 2);
  ASSERT_EQ(platform.declared().assumed.size(), 1u);
  EXPECT_NE(describe(platform).find("assumed: 2 hosts taken for CPU devices"), std::string::npos);
}

TEST(SimgridFile, TakesDevicesIntoItsHosts) {
  const Platform platform = from(two_hosts(), plan_of(R"({"device": "A100-SXM4-80GB", "devices_per_host": 8})"));
  ASSERT_EQ(platform.devices().size(), 16u);
  EXPECT_EQ(platform.devices()[9].name, "b-gpu1");
  EXPECT_EQ(platform.devices()[9].node, "b");
  EXPECT_EQ(platform.devices()[9].kind, "A100-SXM4-80GB");
  EXPECT_EQ(platform.find_device("b-gpu1"), 9);
  EXPECT_EQ(platform.node(9), 1);
  const Route inside = platform.route(0, 7);
  ASSERT_EQ(inside.links.size(), 2u);
  EXPECT_EQ(nth(platform.links(), inside.links[0]).name, "a-gpu0-link_UP");
  EXPECT_EQ(nth(platform.links(), inside.links[1]).name, "a-gpu7-link_DOWN");
  EXPECT_EQ(nth(platform.links(), inside.links[0]).bandwidth.value(), 300e9);  // NVLink 3
  EXPECT_EQ(platform.find_link("a-gpu7-link_DOWN"), inside.links[1]);
  EXPECT_EQ(platform.route(0, 8).links, std::vector<int>{0});
}

TEST(SimgridFile, MapsDevicesByTheNamesOfHostsAndZones) {
  const std::string body =
      "<zone id=\"w\" routing=\"Full\"><zone id=\"lyon\" routing=\"Full\"><host id=\"x\" "
      "speed=\"1Gf\"/></zone><cluster id=\"c\" "
      "prefix=\"graphene-\" suffix=\".nancy\" radical=\"1-12\" speed=\"1Gf\" bw=\"1GBps\" lat=\"0\"/></zone>";
  const Platform platform = from(body, plan_of(R"({"devices": {"graphene-1?.*": {"device": "H100-SXM5-80GB"},
                                                               "lyon": {"device": "L4", "devices_per_host": 2}}})"));
  EXPECT_EQ(platform.devices().size(), 2u + 9 + 3);
  EXPECT_EQ(platform.devices()[*platform.find_device("x-gpu1")].kind, "L4-24GB");
  EXPECT_EQ(platform.devices()[*platform.find_device("graphene-10.nancy-gpu0")].kind, "H100-SXM5-80GB");
  EXPECT_EQ(platform.devices()[*platform.find_device("graphene-9.nancy")].kind, "CPU 1 GFLOP/s");
  EXPECT_THROW(from(body, plan_of(R"({"devices": {"paris": {"device": "L4"}}})")), Error);
  const Platform by_name = from(body, plan_of(R"({"devices": {"lyon": "L4"}})"));
  EXPECT_EQ(by_name.devices()[*by_name.find_device("x-gpu0")].kind, "L4-24GB");
}

TEST(SimgridFile, HonoursTheFactorsOfItsNetworkModelAndNamesTheRest) {
  const Platform platform =
      from(two_hosts("<config><prop id=\"network/latency-factor\" value=\"3\"/><prop id=\"network/bandwidth-factor\" "
                     "value=\"0.9\"/><prop id=\"network/TCP-gamma\" value=\"4194304\"/><prop "
                     "id=\"network/weight-S\" value=\"20537\"/><prop id=\"smpi/bw-factor\" value=\"0:0.8\"/><prop "
                     "id=\"tracing\" value=\"yes\"/></config>"));
  const Link& link = platform.links()[0];
  EXPECT_EQ(link.efficiency, 0.9);
  EXPECT_DOUBLE_EQ(link.latency.value(), 10e-6);
  EXPECT_DOUBLE_EQ(platform.step_latency(platform.route(0, 1)).value(), 30e-6);
  EXPECT_DOUBLE_EQ(platform.route(0, 1).limit.value(), 0.9 * 4194304 / (2 * 10e-6));
  EXPECT_EQ(platform.declared().ignored,
            std::vector<std::string>{"config: network/weight-S \"20537\", smpi/bw-factor \"0:0.8\" (by the size of a "
                                     "message, and a phase of a collective is one flow of many messages)"});
}

TEST(SimgridFile, NamesSettingsThatItDoesNotKnow) {
  const auto ignored = [](const std::string& id) {
    return from(two_hosts("<config><prop id=\"" + id + "\" value=\"1\"/></config>")).declared().ignored;
  };
  for (const std::string id : {"plugin", "nonsense", "network/loopback-bw", "host/model", "tracings"})
    EXPECT_EQ(ignored(id), std::vector<std::string>{"config: " + id + " \"1\""});
  for (const std::string id : {"tracing/filename", "contexts/stack-size", "maxmin/precision", "network/coordinates"})
    EXPECT_TRUE(ignored(id).empty()) << "how SimGrid computes and what it writes changes no time: " << id;
}

// SimGrid's defaults: its option network/TCP-gamma, and set_default() of its models.
TEST(SimgridFile, SetsWhatAModelSaysUnlessTheFileDoes) {
  const auto with = [](const std::string& props) {
    return from(two_hosts("<config>" + props + "<prop id=\"network/model\" value=\"LV08\"/></config>"));
  };
  const Platform plain = with("");
  EXPECT_EQ(plain.links()[0].efficiency, 0.97);
  EXPECT_DOUBLE_EQ(plain.route(0, 1).limit.value(), 0.97 * 4194304 / (2 * 10e-6));
  EXPECT_EQ(plain.declared().ignored,
            std::vector<std::string>{"config: network/weight-S of LV08, network/crosstraffic of LV08"});
  const Platform own = with(
      "<prop id=\"network/bandwidth-factor\" value=\"0.5\"/><prop id=\"network/TCP-gamma\" value=\"0\"/>"
      "<prop id=\"network/crosstraffic\" value=\"no\"/><prop id=\"network/weight-S\" value=\"0\"/>");
  EXPECT_EQ(own.links()[0].efficiency, 0.5);
  EXPECT_EQ(own.route(0, 1).limit.value(), 0);
  EXPECT_TRUE(own.declared().ignored.empty());
}

TEST(SimgridFile, HostsWithCoordinatesAreJoinedByLatencyAlone) {
  const Platform platform = from(
      "<zone id=\"z\" routing=\"Vivaldi\"><host id=\"a\" speed=\"1Gf\" coordinates=\"0 0 1\"/><host id=\"b\" "
      "speed=\"1Gf\" "
      "coordinates=\"3 4 2\"/></zone>");
  const Route route = platform.route(0, 1);
  EXPECT_TRUE(route.links.empty());
  EXPECT_TRUE(route.exists());
  EXPECT_DOUBLE_EQ(route.latency.value(), 8e-3);  // a triangle of 3 and 4, and both heights, in milliseconds
  EXPECT_TRUE(std::isinf(route_bandwidth(platform, route).value()));
}

TEST(SimgridFile, TakesWhatARouteSaysOfTheWayToOneself) {
  const Platform platform = from(
      "<zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/><link id=\"l\" bandwidth=\"1GBps\" "
      "latency=\"1us\" "
      "sharing_policy=\"FATPIPE\"/><route src=\"a\" dst=\"a\"><link_ctn id=\"l\"/></route></zone>");
  EXPECT_TRUE(platform.links()[0].fat);
  EXPECT_TRUE(platform.route(0, 0).links.empty());
}

TEST(SimgridProfile, RepeatsAfterItsPeriod) {
  const zones::Steps steps = zones::read_profile("# a comment\n0 1.0\n11 0.5\nLOOPAFTER 4\n", 0);
  ASSERT_EQ(steps.steps.size(), 2u);
  EXPECT_EQ(steps.steps[1].at.value(), 11);
  EXPECT_EQ(steps.steps[1].value, 0.5);
  EXPECT_EQ(steps.period.value(), 15);
  EXPECT_EQ(zones::read_profile("3 1\nPERIODICITY 9\n", 0).period.value(), 9);
  EXPECT_EQ(zones::read_profile("3 1\n", 0).period.value(), 0);
}

TEST(SimgridProfile, OfAHostIsOneOfItsDevices) {
  const std::string body =
      "<zone id=\"z\" routing=\"None\"><trace id=\"t\" periodicity=\"0\">5 0.5</trace><host id=\"a\" "
      "speed=\"1Gf\"/><host id=\"b\" "
      "speed=\"1Gf\"/><trace_connect kind=\"SPEED\" trace=\"t\" element=\"b\"/></zone>";
  const Platform platform = from(body, plan_of(R"({"device": "L4", "devices_per_host": 2})"));
  ASSERT_EQ(platform.declared().profiles.size(), 1u);
  EXPECT_EQ(platform.declared().profiles[0].indices, (std::vector<int>{2, 3}));
}

TEST(Patterns, MatchAsInShells) {
  using zones::matches;
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*c", "abbc"));
  EXPECT_TRUE(matches("*b*c", "abcbc"));
  EXPECT_TRUE(matches("n?", "n1"));
  EXPECT_FALSE(matches("n?", "n12"));
  EXPECT_FALSE(matches("a*c", "abcd"));
}

}  // namespace
}  // namespace foreflow::platform::simgrid_file_test
