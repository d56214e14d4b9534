// What a user reads when a platform file is wrong: the place, and one line that says what would be right.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/platform/bad_file.h"

namespace foreflow::platform::bad_xml_test {
namespace {

const std::string kHead = "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";
const std::string kGpu =
    "<prop id=\"kind\" value=\"K\"/><prop id=\"node\" value=\"n\"/><prop id=\"memory\" value=\"1GB\"/>"
    "<prop id=\"memory_bandwidth\" value=\"1GBps\"/><prop id=\"launch\" value=\"1us\"/><prop id=\"peak_f32\" "
    "value=\"1Tf\"/>";

std::string host(const std::string& id, const std::string& props = kGpu) {
  return "<host id=\"" + id + "\" speed=\"1Tf\">" + props + "</host>\n";
}

std::string link(const std::string& attributes) { return "<link " + attributes + "/>\n"; }

// Line 1 is the document type, 2 the platform, 3 the zone; `body` begins on line 4.
std::string zone(const std::string& body, const std::string& routing = "Full") {
  return kHead + "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"" + routing + "\">\n" + body +
         "</zone>\n</platform>\n";
}

const std::string kLink = link("id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"");
const std::string kTwo  = host("a") + host("b") + kLink;  // lines 4, 5, 6

std::string without(std::string text, const std::string& part) { return text.erase(text.find(part), part.size()); }

std::string route(const std::string& from, const std::string& to, const std::string& crossing) {
  return "<route src=\"" + from + "\" dst=\"" + to + "\">" + crossing + "</route>\n";
}

// On line 2: zones in zones.
std::string deep_zones(int depth) {
  std::string open, close;
  for (int i = 0; i < depth; ++i) {
    open += "<zone id=\"" + std::to_string(i % 10) + "\" routing=\"\">";
    close += "</zone>";
  }
  return kHead + "<platform version=\"4.1\">" + open + close + "</platform>";
}

const std::vector<BadFile>& cases() {
  static const std::string kCross = "<link_ctn id=\"l\"/>";
  static const std::string kSplit = link("id=\"s\" bandwidth=\"1GBps\" latency=\"1us\" sharing_policy=\"SPLITDUPLEX\"");
  static const std::vector<BadFile> all = {
      {"Empty", "", "p.xml:1:1: malformed XML: no document element found"},
      {"Malformed", kHead + "<platform version=\"4.1\">\n  <zone id=\"z\" routing=\"Full\">\n</platform>",
       "p.xml:4:3: malformed XML: start-end tags mismatch"},
      {"AnotherRoot", kHead + "<cluster/>",
       "p.xml:2:1: the outermost element is <cluster>; it must be <platform version=\"4.1\">"},
      {"OldVersion", kHead + "<platform version=\"3\"><zone id=\"z\" routing=\"Full\"/></platform>",
       "p.xml:2:1: the version is \"3\"; it must be \"4.1\""},
      {"NoDocumentType", "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"/></platform>",
       "p.xml:1:1: SimGrid needs <!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"> before it"},
      {"DeepZones", deep_zones(70), "p.xml:2:1537: <zone> is nested more than 64 deep"},
      {"NoZone", kHead + "<platform version=\"4.1\"/>", "p.xml:2:1: is empty; it must hold one <zone>"},
      {"TwoZones",
       kHead +
           "<platform version=\"4.1\"><zone id=\"y\" routing=\"Full\"/>\n<zone id=\"z\" routing=\"Full\"/></platform>",
       "p.xml:3:1: a second outermost <zone>; put both into one zone"},
      {"NoHost", zone(""), "p.xml:3:1: the platform has no host; it must have at least one"},
      {"UnknownElement", zone("  <cluster id=\"c\"/>\n"),
       "p.xml:4:3: <cluster> cannot stand in <zone>; it holds prop, zone, host, router, link, route or zoneRoute"},
      {"UnknownAttribute", zone(link("id=\"l\" bw=\"1GBps\" latency=\"1us\"")),
       "p.xml:4:1: <link> has the unknown attribute \"bw\"; it takes id, bandwidth, latency or sharing_policy"},
      {"MissingAttribute", zone(link("id=\"l\" bandwidth=\"1GBps\"")),
       "p.xml:4:1: <link> needs the attribute \"latency\""},
      {"AttributeTwice", zone(link("id=\"l\" id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"")),
       "p.xml:4:1: <link> has the attribute \"id\" twice; keep one"},
      {"TextInside", zone("  hosts\n"), "p.xml:4:3: text inside <zone>; only elements stand there"},
      {"UnknownRouting", zone(kTwo, "Fool"),
       "p.xml:3:1: zone \"z\": unknown routing \"Fool\"; use Full, Floyd, Dijkstra, DijkstraCache or None"},
      {"EmptyId", zone(host("")), "p.xml:4:1: <host> has an empty id; give it a name"},
      {"HostTwice", zone(host("a") + host("a")), "p.xml:5:1: the id \"a\" is used twice; give every element its own"},
      {"LinkTwice", zone(kLink + kLink), "p.xml:5:1: the id \"l\" is used twice; give every element its own"},
      {"MissingProperty", zone(host("a", without(kGpu, "<prop id=\"memory\" value=\"1GB\"/>"))),
       "p.xml:4:1: host \"a\": needs <prop id=\"memory\" value=\"32GB\"/> beside its \"kind\""},
      {"PropertyTwice", zone(host("a", "\n" + kGpu + "\n<prop id=\"kind\" value=\"V\"/>")),
       "p.xml:6:1: the property \"kind\" stands twice; keep one"},
      {"PropertyWithoutUnit", zone(host("a", kGpu + "<prop id=\"peak_f16\" value=\"125\"/>")),
       "p.xml:4:1: host \"a\": peak_f16 \"125\" has no unit; write it like \"312Tf\""},
      {"ZeroPeak", zone(host("a", kGpu + "<prop id=\"peak_f16\" value=\"0Tf\"/>")),
       "p.xml:4:1: host \"a\": peak_f16 \"0Tf\" must be above zero, like \"15.7Tf\""},
      {"SpeedWithoutUnit", zone("<host id=\"a\" speed=\"1e12\"/>"),
       "p.xml:4:1: host \"a\": speed \"1e12\" has no unit; write it like \"312Tf\""},
      {"BandwidthWithoutUnit", zone(link("id=\"l\" bandwidth=\"1e9\" latency=\"1us\"")),
       "p.xml:4:1: link \"l\": bandwidth \"1e9\" has no unit; write it like \"25GBps\""},
      {"BandwidthWithUnknownUnit", zone(link("id=\"l\" bandwidth=\"1GBs\" latency=\"1us\"")),
       "p.xml:4:1: link \"l\": bandwidth \"1GBs\" has the unknown unit \"GBs\"; write it like \"25GBps\""},
      {"BandwidthThatOnlyWeRead", zone(link("id=\"l\" bandwidth=\"1GB/s\" latency=\"1us\"")),
       "p.xml:4:1: link \"l\": bandwidth \"1GB/s\" cannot be read by SimGrid; write it like \"25GBps\""},
      {"ZeroBandwidth", zone(link("id=\"l\" bandwidth=\"0GBps\" latency=\"1us\"")),
       "p.xml:4:1: link \"l\": bandwidth \"0GBps\" must be above zero, like \"25GBps\""},
      {"NegativeBandwidth", zone(link("id=\"l\" bandwidth=\"-1GBps\" latency=\"1us\"")),
       "p.xml:4:1: link \"l\": bandwidth \"-1GBps\" is negative; write a quantity like \"25GBps\""},
      {"LatencyWithoutUnit", zone(link("id=\"l\" bandwidth=\"1GBps\" latency=\"0\"")),
       "p.xml:4:1: link \"l\": latency \"0\" has no unit; write it like \"2us\""},
      {"LatencyThatOnlyWeRead", zone(link("id=\"l\" bandwidth=\"1GBps\" latency=\"1min\"")),
       "p.xml:4:1: link \"l\": latency \"1min\" cannot be read by SimGrid; write it like \"2us\""},
      {"UnknownPolicy", zone(link("id=\"l\" bandwidth=\"1GBps\" latency=\"1us\" sharing_policy=\"FATPIPE\"")),
       "p.xml:4:1: link \"l\": sharing_policy \"FATPIPE\" is not supported; use SHARED (the default) or SPLITDUPLEX"},
      {"RouteToUnknownHost", zone(kTwo + route("a", "bb", kCross)),
       "p.xml:7:1: \"bb\" is no host or router declared before in zone \"z\"; the nearest is \"b\""},
      {"RouteToItself", zone(kTwo + route("a", "a", kCross)),
       "p.xml:7:1: a route from \"a\" to itself; a route joins two different ends"},
      {"RouteTwice", zone(kTwo + route("a", "b", kCross) + route("b", "a", kCross)),
       "p.xml:8:1: a second route from \"b\" to \"a\"; keep one (routes are symmetrical unless symmetrical=\"NO\")"},
      {"RouteWithoutLink", zone(kTwo + route("a", "b", "")),
       "p.xml:7:1: the route from \"a\" to \"b\" crosses no link; add a <link_ctn>"},
      {"UnknownLink", zone(kTwo + route("a", "b", "<link_ctn id=\"m\"/>")),
       "p.xml:7:24: no link \"m\" is declared before; use l"},
      {"SplitDuplexWithoutDirection", zone(kTwo + kSplit + route("a", "b", "<link_ctn id=\"s\"/>")),
       "p.xml:8:24: the link \"s\" is SPLITDUPLEX; say direction=\"UP\" or direction=\"DOWN\""},
      {"DirectionOfASharedLink", zone(kTwo + route("a", "b", "<link_ctn id=\"l\" direction=\"UP\"/>")),
       "p.xml:7:24: the link \"l\" has no directions; leave direction out or make it SPLITDUPLEX"},
      {"BadSymmetry", zone(kTwo + "<route src=\"a\" dst=\"b\" symmetrical=\"maybe\">" + kCross + "</route>"),
       "p.xml:7:1: symmetrical is \"maybe\"; say YES or NO"},
      {"MissingRoute", zone(kTwo),
       "p.xml:3:1: no route from device \"a\" to device \"b\": zone \"z\" needs a route from \"a\" to \"b\""},
      {"MissingWayBack", zone(kTwo + "<route src=\"a\" dst=\"b\" symmetrical=\"NO\">" + kCross + "</route>", "Floyd"),
       "p.xml:3:1: no route from device \"b\" to device \"a\": zone \"z\" needs a route from \"b\" to \"a\""},
      {"MixedZone", zone(host("a") + "<zone id=\"y\" routing=\"Full\"/>"),
       "p.xml:3:1: zone \"z\": mixes zones with hosts or routers; put those into a zone of their own"},
      {"UnknownZone", zone("<zoneRoute src=\"y\" dst=\"x\" gw_src=\"g\" gw_dst=\"h\"/>"),
       "p.xml:4:1: \"y\" is no zone declared before in zone \"z\"; use z"},
      {"UnknownGateway",
       zone("<zone id=\"y\" routing=\"None\">" + host("a") +
            "</zone>\n<zoneRoute src=\"y\" dst=\"y\" gw_src=\"g\" gw_dst=\"a\"/>"),
       "p.xml:6:1: the gateway \"g\" is no host or router in zone \"y\"; use a, y or z"},
      {"NoWayToTheGateway",
       zone("<zone id=\"x\" routing=\"Full\">" + host("a") +
            "<router id=\"g\"/></zone>\n<zone id=\"y\" routing=\"None\">" + host("b") + "</zone>\n" + kLink +
            "<zoneRoute src=\"x\" dst=\"y\" gw_src=\"g\" gw_dst=\"b\">" + kCross + "</zoneRoute>"),
       "p.xml:4:1: no route from device \"a\" to device \"b\": zone \"x\" needs a route from \"a\" to \"g\""},
      {"XmlThatOnlySimGridRefuses", "\njunk\n" + zone(host("a")),
       "p.xml:2: SimGrid refuses it: Invalid XML (XML input line 2, state 1): Unexpected character `j' in prolog."},
      {"WhatOnlySimGridNotices",
       zone(
           "<zone id=\"x\" routing=\"Full\"><zone id=\"v\" routing=\"None\">" + host("a") +
           "</zone><zone id=\"w\" routing=\"None\"><router id=\"g\"/></zone></zone>\n<zone id=\"y\" routing=\"None\">" +
           host("b") + "</zone>\n" + kLink + "<zoneRoute src=\"x\" dst=\"y\" gw_src=\"g\" gw_dst=\"b\">" + kCross +
           "</zoneRoute>"),
       "p.xml: SimGrid refuses the platform: Bad gateways for route from 'a' to 'g'."},
      {"NameThatSimGridMakesItself", zone(host("a") + kSplit + link("id=\"s_UP\" bandwidth=\"1GBps\" latency=\"1us\"")),
       "p.xml:6:1: a second link \"s_UP\"; a SPLITDUPLEX link X takes the names X_UP and X_DOWN, choose another"},
  };
  return all;
}

class BadXml : public testing::TestWithParam<BadFile> {};

TEST_P(BadXml, IsRefusedWithOneLine) { expect_own_form_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(PlatformFile, BadXml, testing::ValuesIn(cases()), title_of);

}  // namespace
}  // namespace foreflow::platform::bad_xml_test
