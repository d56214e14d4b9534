// What a user reads when a platform in graph form, or a property, is wrong.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/graph_text.h"
#include "unit/platform/bad_file.h"

namespace foreflow::platform::bad_graph_test {
namespace {

using test::GraphText;
using test::prop;

// The zone is on line 3, what is in it begins on line 4: a and b, the router s, and cables a-s and b-s with their
// routes.
GraphText two() {
  GraphText text;
  text.device("a", "n").device("b", "m").router("s");
  return text;
}

GraphText joined() { return two().cable("a", "s", "nic").cable("b", "s", "nic"); }

std::string with_zone_prop(const std::string& id, const std::string& value) {
  return joined().zone_prop(id, value).xml();
}

std::string with_host_prop(const std::string& id, const std::string& value) {
  return GraphText().device("a", "n", prop(id, value)).xml();
}

// The link "l" is on line 5.
std::string with_link(const std::string& kind, const std::string& props, const std::string& numbers) {
  GraphText text;
  text.device("a", "n").raw(fmt::format("<link id=\"l\" {}>{}{}</link>\n", numbers, prop("kind", kind), props));
  return text.xml();
}

const std::string kNumbers = "bandwidth=\"1GBps\" latency=\"1us\"";

std::string with_link_prop(const std::string& kind, const std::string& id, const std::string& value) {
  return with_link(kind, prop(id, value), kNumbers);
}

std::string many_devices(int count, const std::string& kind) {
  GraphText text;
  for (int i = 0; i < count; ++i) text.device(fmt::format("d{}", i), "n");
  text.router("s");
  for (int i = 0; i < count; ++i) text.cable(fmt::format("d{}", i), "s", kind);
  return text.xml();
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  return text.replace(text.find(part), part.size(), by);
}

const std::vector<BadFile>& cases() {
  static const std::string kShared      = "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>";
  static const std::vector<BadFile> all = {
      {"LinkInTwoEdges",
       two()
           .raw(kShared + "\n<route src=\"a\" dst=\"s\"><link_ctn id=\"l\"/></route>\n" +
                "<route src=\"b\" dst=\"s\"><link_ctn id=\"l\"/></route>\n")
           .xml(),
       "p.xml:9:1: the link \"l\" is in two edges, \"a\" to \"s\" and \"b\" to \"s\"; in a graph every edge has its "
       "own links (or use routing=\"DijkstraCache\", for SimGrid's routes)"},
      {"NoWayBack",
       two().raw(kShared + "<route src=\"a\" dst=\"s\" symmetrical=\"NO\"><link_ctn id=\"l\"/></route>\n").xml(),
       "p.xml:7:47: the edge from \"a\" to \"s\" has no way back; add a route from \"s\" to \"a\" or leave out "
       "symmetrical=\"NO\""},
      {"LinkInNoRoute", joined().raw(kShared).xml(),
       "p.xml:11:1: the link \"l\" is in no route; add one or remove the link"},
      {"Disconnected", two().cable("a", "s", "nic").xml(),
       "p.xml: no route from device \"a\" to device \"b\": join them by edges and routers (devices, and the routers of "
       "a server, forward nothing for others)"},
      {"NoRoutes", two().xml(),
       "p.xml: no route from device \"a\" to device \"b\": join them by edges and routers (devices, and the routers of "
       "a server, forward nothing for others)"},
      {"TwoPieces", two().router("t").cable("a", "s", "nic").cable("b", "t", "nic").xml(),
       "p.xml: no route from device \"a\" to device \"b\": join them by edges and routers (devices, and the routers of "
       "a server, forward nothing for others)"},
      {"OnlyThroughADevice", two().device("c", "o").cable("a", "c", "nvlink").cable("c", "b", "nvlink").xml(),
       "p.xml: no route from device \"a\" to device \"b\": join them by edges and routers (devices, and the routers of "
       "a server, forward nothing for others)"},
      {"EdgeTwice", joined().raw(kShared + "<route src=\"s\" dst=\"a\"><link_ctn id=\"l\"/></route>").xml(),
       "p.xml:11:47: a second route from \"s\" to \"a\"; keep one (routes are symmetrical unless symmetrical=\"NO\")"},
      {"ZoneRouteInAGraph", joined().raw("<zoneRoute src=\"a\" dst=\"b\" gw_src=\"a\" gw_dst=\"b\"/>").xml(),
       "p.xml:11:1: \"a\" is no zone declared before in zone \"z\""},
      {"EndlessLatency", two().cable("a", "s", "nic", 1, "1GBps", "90000s").xml(),
       "p.xml: link \"a-s_UP\": the latency 9e+04 s is too long to be added up exactly in a graph of 3 vertices; use "
       "at most 6005 s"},
      {"HugeServer", many_devices(2048, "pcie"),
       "p.xml: \"d0\" is in a server of 2049 devices and routers, which links of the kinds nvlink, xgmi, scaleup, "
       "pcie, host and memory join; the most is 2048: give links between servers the kind nic or fabric"},
      {"TooManyForATable", replaced(many_devices(1025, "nic"), "Dijkstra", "Floyd"),
       "p.xml:3:1: 1025 devices, but SimGrid routes zones like these for at most 1024; write the platform as a graph, "
       "one zone with routing=\"Dijkstra\", which has any size"},
      {"UnknownEcmp", with_zone_prop("ecmp", "dmod"),
       "p.xml:3:1: zone \"z\": unknown ecmp \"dmod\"; use dmodk, ecmp or hash"},
      {"MisspeltZoneProperty", with_zone_prop("emcp", "hash"),
       "p.xml:4:1: unknown property \"emcp\"; did you mean \"ecmp\"?"},
      {"ZonePropertyTwice", joined().zone_prop("ecmp", "hash").zone_prop("ecmp", "hash").xml(),
       "p.xml:5:1: the property \"ecmp\" stands twice; keep one"},
      {"LateZoneProperty", joined().raw(prop("ecmp", "hash")).xml(),
       "p.xml:11:1: the properties of zone \"z\" must stand before everything else in it"},
      {"NvlsThatIsNoAnswer", with_zone_prop("nvls", "maybe"),
       "p.xml:3:1: zone \"z\": nvls is \"maybe\"; say yes or no"},
      {"SharpThatIsNoAnswer", with_zone_prop("sharp", ""), "p.xml:3:1: zone \"z\": sharp is \"\"; say yes or no"},
      {"NvlsOfANic", with_link_prop("nic", "nvls", "yes"),
       "p.xml:5:1: link \"l\": only a link of the kind nvlink has the property nvls"},
      {"SharpOfAnNvlink", with_link_prop("nvlink", "sharp", "yes"),
       "p.xml:5:1: link \"l\": only a link of the kind nic or fabric has the property sharp"},
      {"NoEfficiency", with_link_prop("nic", "efficiency", "0"),
       "p.xml:5:1: link \"l\": efficiency \"0\" must be above 0 and at most 1"},
      {"EfficiencyAboveOne", with_link_prop("nic", "efficiency", "1.5"),
       "p.xml:5:1: link \"l\": efficiency \"1.5\" must be above 0 and at most 1"},
      {"EfficiencyInPercent", with_link_prop("nic", "efficiency", "90%"),
       "p.xml:5:1: link \"l\": efficiency \"90%\" is no number"},
      {"NoChannels", with_link_prop("nvlink", "channels", "0"),
       "p.xml:5:1: link \"l\": channels \"0\" must be a whole number, 1 or more"},
      {"HalfAChannel", with_link_prop("nvlink", "channels", "2.5"),
       "p.xml:5:1: link \"l\": channels \"2.5\" must be a whole number, 1 or more"},
      {"StepLatencyWithoutUnit", with_link_prop("nic", "step_latency", "5"),
       "p.xml:5:1: link \"l\": step_latency \"5\" has no unit; write it like \"2us\""},
      {"NegativeStepLatency", with_link_prop("nic", "step_latency", "-5us"),
       "p.xml:5:1: link \"l\": step_latency \"-5us\" is negative; write a quantity like \"2us\""},
      {"MisspeltLinkProperty", with_link_prop("nic", "chanels", "4"),
       "p.xml:5:75: unknown property \"chanels\"; did you mean \"channels\"?"},
      {"MisspeltKind", with_link("nvlnik", "", kNumbers),
       "p.xml:5:1: link \"l\": unknown kind \"nvlnik\"; did you mean \"nvlink\"?"},
      {"KindInCapitals", with_link("PCIe", "", kNumbers),
       "p.xml:5:1: link \"l\": unknown kind \"PCIe\"; did you mean \"pcie\"?"},
      {"BandwidthThatIsNoNumber", with_link("nic", "", "bandwidth=\"nanGBps\" latency=\"1us\""),
       "p.xml:5:1: link \"l\": bandwidth \"nanGBps\" is not a number with a unit; write it like \"25GBps\""},
      {"EndlessBandwidth", with_link("nic", "", "bandwidth=\"1e999GBps\" latency=\"1us\""),
       "p.xml:5:1: link \"l\": bandwidth \"1e999GBps\" is not a number with a unit; write it like \"25GBps\""},
      {"NegativeLatency", with_link("nic", "", "bandwidth=\"1GBps\" latency=\"-1us\""),
       "p.xml:5:1: link \"l\": latency \"-1us\" is negative; write a quantity like \"2us\""},
      {"BandwidthInSeconds", with_link("nic", "", "bandwidth=\"1us\" latency=\"1us\""),
       "p.xml:5:1: link \"l\": bandwidth \"1us\" has the unknown unit \"us\"; write it like \"25GBps\""},
      {"LatencyInBytes", with_link("nic", "", "bandwidth=\"1GBps\" latency=\"1GB\""),
       "p.xml:5:1: link \"l\": latency \"1GB\" has the unknown unit \"GB\"; write it like \"2us\""},
      {"NegativeRail", with_host_prop("rail", "-1"),
       "p.xml:4:1: host \"a\": rail \"-1\" must be a whole number, 0 or more"},
      {"RailThatIsNoNumber", with_host_prop("rail", "first"),
       "p.xml:4:1: host \"a\": rail \"first\" must be a whole number, 0 or more"},
      {"NvlinkGenerationZero", with_host_prop("nvlink_generation", "0"),
       "p.xml:4:1: host \"a\": nvlink_generation \"0\" must be a whole number, 1 or more"},
      {"MisspeltHostProperty", with_host_prop("nvlink_genration", "3"),
       "p.xml:4:218: unknown property \"nvlink_genration\"; did you mean \"nvlink_generation\"?"},
      {"NoMemory", replaced(joined().xml(), "1GB", "0GB"),
       "p.xml:4:1: host \"a\": memory \"0GB\" must be above zero, like \"32GB\""},
      {"MemoryInSeconds", replaced(joined().xml(), "1GB", "1us"),
       "p.xml:4:1: host \"a\": memory \"1us\" has the unknown unit \"us\"; write it like \"64MiB\""},
      {"ZoneRouteToItself",
       replaced(
           replaced(GraphText().raw("<zone id=\"y\" routing=\"None\">").device("a", "n").xml(), "Dijkstra", "Full"),
           "<zone id=\"y\" routing=\"None\">",
           "<zone id=\"y\" routing=\"None\"><router id=\"r\"/></zone>\n<zoneRoute src=\"y\" dst=\"y\" gw_src=\"r\" "
           "gw_dst=\"r\"/>"),
       "p.xml:6:1: a route from \"y\" to itself; a route joins two different ends"},
      {"ZoneInItself", replaced(joined().xml(), "<router", "<zone id=\"z\" routing=\"Full\"/><router"),
       "p.xml:6:1: the id \"z\" is used twice; give every element its own"},
      {"ZonesInAGraph", joined().raw("<zone id=\"y\" routing=\"Full\"/>").xml(),
       "p.xml:3:1: zone \"z\": mixes zones with hosts or routers; put those into a zone of their own"},
  };
  return all;
}

class BadGraph : public testing::TestWithParam<BadFile> {};

TEST_P(BadGraph, IsRefusedWithOneLine) { expect_own_form_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(PlatformFile, BadGraph, testing::ValuesIn(cases()), title_of);

}  // namespace
}  // namespace foreflow::platform::bad_graph_test
