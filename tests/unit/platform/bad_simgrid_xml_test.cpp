// What a user reads when a platform file of SimGrid is wrong: the place, and one line that says what would be right.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/platform/bad_file.h"

namespace foreflow::platform::bad_simgrid_xml_test {
namespace {

const std::string kHead =
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n";

// Lines 1 and 2 are the document type and the platform; `body` begins on line 3.
std::string file(const std::string& body) { return kHead + body + "\n</platform>\n"; }

// `body` begins on line 4.
std::string zone(const std::string& body, const std::string& routing = "Full") {
  return file("<zone id=\"z\" routing=\"" + routing + "\">\n" + body + "</zone>");
}

std::string cluster(const std::string& more, const std::string& radical = "0-3") {
  return file("<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"" + radical +
              "\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"" + more + "/>");
}

const std::string kTwo =
    "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>\n<link id=\"l\" bandwidth=\"1GBps\" "
    "latency=\"1us\"/>\n";
const std::string kCross = "<link_ctn id=\"l\"/>";

std::string route(const std::string& from, const std::string& to, const std::string& crossing) {
  return "<route src=\"" + from + "\" dst=\"" + to + "\">" + crossing + "</route>\n";
}

const std::vector<BadFile>& cases() {
  static const std::vector<BadFile> all = {
      {"UnknownElement", zone("  <gpu id=\"c\"/>\n"),
       "p.xml:4:3: <gpu> cannot stand in <zone>; it holds prop, AS, zone, include, storage_type, storage, host, "
       "cabinet, router, link, backbone, cluster, peer, host_link, route, zoneRoute, ASroute, bypassRoute, "
       "bypassZoneRoute, bypassASroute, trace or trace_connect"},
      {"MissingAttribute", zone("<host id=\"a\"/>"), "p.xml:4:1: <host> needs the attribute \"speed\""},
      {"UnknownAttribute", zone("<host id=\"a\" power=\"1\"/>"),
       "p.xml:4:1: <host> has the unknown attribute \"power\"; it takes id, speed, core, speed_file, "
       "availability_file, "
       "state_file, coordinates or pstate"},
      {"UnknownPolicy", zone("<link id=\"l\" bandwidth=\"1Bps\" sharing_policy=\"THIN\"/>"),
       "p.xml:4:1: sharing_policy is \"THIN\"; use SHARED, SPLITDUPLEX, FULLDUPLEX, FATPIPE or WIFI"},
      {"LinkAfterRoute", zone(kTwo + route("a", "b", kCross) + "<link id=\"m\" bandwidth=\"1GBps\" latency=\"0\"/>"),
       "p.xml:7:1: <link> stands too late in <zone>; put it before <route>"},
      {"SecondRoot",
       file("<zone id=\"y\" routing=\"Full\"/>\n<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0\" "
            "speed=\"1Gf\" bw=\"1GBps\" lat=\"0\"/>"),
       "p.xml:4:1: a second outermost <cluster>; put both into one zone"},
      {"OldVersion",
       "<platform version=\"2\">\n<AS id=\"z\" routing=\"Full\"><host id=\"a\" power=\"1\"/></AS></platform>",
       "p.xml:1:1: the version is \"2\"; it must be \"4.1\" (simgrid_update_xml brings older files up to date)"},
      {"Deployment", file("<actor host=\"a\" function=\"f\"/>"),
       "p.xml:2:1: has actors and no hardware: it is a deployment file, which says what runs where; give the platform "
       "file that it is for, with one <zone> or <cluster>"},
      {"Empty", file(""), "p.xml:2:1: is empty; it must hold one <zone> or <cluster>"},
      {"Include", file("<include file=\"x.xml\"/>"),
       "p.xml:3:1: <include> was removed in SimGrid 3.18; put the content of the file here"},
      {"Wifi", zone("", "Wifi"),
       "p.xml:3:1: zone \"z\": routing \"Wifi\": Wifi zones are not simulated: how fast a station is depends on its "
       "distance and on who else sends, which Foreflow has no model of"},
      {"WifiLink", zone("<link id=\"l\" bandwidth=\"54Mbps\" latency=\"0\" sharing_policy=\"WIFI\"/>"),
       "p.xml:4:1: link \"l\": a link of the policy WIFI is not simulated: Foreflow has no model of radio"},
      {"Packets",
       file("<config><prop id=\"network/model\" value=\"ns-3\"/></config>\n<zone id=\"z\" routing=\"Full\"/>"),
       "p.xml:3:9: network/model \"ns-3\" asks for a simulator of packets, which Foreflow has not; use \"CM02\" or "
       "leave it out"},
      {"UnknownRouting", zone("", "Foo"),
       "p.xml:3:1: zone \"z\": unknown routing \"Foo\"; use Full, Floyd, Dijkstra, DijkstraCache, Cluster, Vivaldi, "
       "None or Empty"},
      {"ClusterRouting", zone("", "ClusterTorus"),
       "p.xml:3:1: zone \"z\": routing \"ClusterTorus\": is what a <cluster> with a topology is; zones cannot ask for "
       "it"},
      {"HostBesideZone", zone("<host id=\"a\" speed=\"1Gf\"/>\n<zone id=\"y\" routing=\"Full\"/>"),
       "p.xml:4:1: <host> beside <zone> in zone \"z\": a zone holds zones, or hosts and routers; put those into a zone "
       "of their own"},
      {"SpeedOfAnotherUnit", zone("<host id=\"a\" speed=\"1GHz\"/>"),
       "p.xml:4:1: speed: \"1GHz\" has the unknown unit \"GHz\"; write it like \"1Gf\" or \"500megaflops\""},
      {"SpeedIsNoNumber", zone("<host id=\"a\" speed=\"fast\"/>"),
       "p.xml:4:1: speed: \"fast\" is no number with a unit, like \"1Gf\" or \"500megaflops\""},
      {"NegativeSpeed", zone("<host id=\"a\" speed=\"-1Gf\"/>"),
       "p.xml:4:1: speed: \"-1Gf\" must not be negative, like \"1Gf\""},
      {"HugeSpeed", zone("<host id=\"a\" speed=\"1e308Gf\"/>"), "p.xml:4:1: speed: \"1e308Gf\" is out of range"},
      {"NoCore", zone("<host id=\"a\" speed=\"1Gf\" core=\"0\"/>"),
       "p.xml:4:1: core \"0\" must be a whole number, 1 or more"},
      {"UnknownState", zone("<host id=\"a\" speed=\"1Gf,2Gf\" pstate=\"2\"/>"),
       "p.xml:4:1: pstate \"2\" must be a whole number from 0 to 1: there are 2 speeds"},
      {"ZeroBandwidth", zone("<link id=\"l\" bandwidth=\"0Bps\" latency=\"0\"/>"),
       "p.xml:4:1: bandwidth: \"0Bps\" must be above zero, like \"125MBps\""},
      {"NegativeLatency", zone("<link id=\"l\" bandwidth=\"1Bps\" latency=\"-1s\"/>"),
       "p.xml:4:1: latency: \"-1s\" must not be negative, like \"50us\""},
      {"HostTwice", zone("<host id=\"a\" speed=\"1Gf\"/>\n<host id=\"a\" speed=\"1Gf\"/>"),
       "p.xml:5:1: the id \"a\" is used twice; give every element its own"},
      {"RouterLikeAHost", zone(kTwo.substr(0, kTwo.find('\n')) + "\n<router id=\"a\"/>"),
       "p.xml:5:1: the id \"a\" is used twice; give every element its own"},
      {"RouterLikeAZone", zone("<router id=\"z\"/>"),
       "p.xml:4:1: the id \"z\" is used twice; give every element its own"},
      {"RouterTwice", zone("<router id=\"r\"/>\n<router id=\"r\"/>"),
       "p.xml:5:1: the id \"r\" is used twice; give every element its own"},
      {"ZoneTwice", zone("<zone id=\"x\" routing=\"Full\"/>\n<zone id=\"x\" routing=\"Full\"/>"),
       "p.xml:5:1: the id \"x\" is used twice; give every element its own"},
      {"RouterOfAClusterLikeItsHost", cluster(" router_id=\"n0\""),
       "p.xml:3:1: the id \"n0\" is used twice; give every element its own"},
      {"HostOfAnotherCluster",
       file("<zone id=\"z\" routing=\"Full\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" "
            "bw=\"1GBps\" lat=\"0\"/>\n<cluster id=\"d\" prefix=\"n\" suffix=\"\" radical=\"3-5\" speed=\"1Gf\" "
            "bw=\"1GBps\" "
            "lat=\"0\"/></zone>"),
       "p.xml:4:1: the id \"n3\" is used twice; give every element its own"},
      {"LinkTwice", zone(kTwo + "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>"),
       "p.xml:6:1: a second link \"l\"; give every link its own name"},
      {"RouteToUnknownHost", zone(kTwo + route("a", "bb", kCross)),
       "p.xml:6:1: dst: no host, router or zone \"bb\" is declared before; the nearest is \"b\""},
      {"GatewayOfAZoneLikeItsHost",
       file("<zone id=\"w\" routing=\"Full\"><zone id=\"x\" routing=\"Full\">" + kTwo +
            "</zone><zone id=\"y\" routing=\"Full\"><host id=\"x\" speed=\"1Gf\"/></zone>\n<zoneRoute src=\"x\" "
            "dst=\"y\" gw_src=\"a\" gw_dst=\"x\">" +
            kCross + "</zoneRoute></zone>"),
       "p.xml:6:1: src: \"x\" is no zone; a <zoneRoute> joins zones"},
      {"RouteToZone", zone(kTwo + route("a", "z", kCross)), "p.xml:6:1: dst: \"z\" is not in zone \"z\" itself"},
      {"RouteTwice", zone(kTwo + route("a", "b", kCross) + route("b", "a", kCross)),
       "p.xml:7:1: a second route between \"b\" and \"a\"; keep one (routes are symmetrical unless "
       "symmetrical=\"NO\")"},
      {"RouteWithoutLink", zone(kTwo + route("a", "b", "")),
       "p.xml:6:1: the route from \"a\" to \"b\" crosses no link; add a <link_ctn>"},
      {"UnknownLink", zone(kTwo + route("a", "b", "<link_ctn id=\"m\"/>")),
       "p.xml:6:24: no link \"m\" is declared before"},
      {"DirectionOfSharedLink", zone(kTwo + route("a", "b", "<link_ctn id=\"l\" direction=\"UP\"/>")),
       "p.xml:6:24: the link \"l\" has no directions; leave direction out or make it SPLITDUPLEX"},
      {"RouteInNone", zone(kTwo + route("a", "b", kCross), "None"),
       "p.xml:6:1: zone \"z\": its routing \"None\" takes no <route> between two members"},
      {"RouteInStar", zone(kTwo + route("a", "b", kCross), "Cluster"),
       "p.xml:6:1: zone \"z\": its routing \"Cluster\" takes no <route> between two members"},
      {"HostLinkOfUnknownHost", zone(kTwo + "<host_link id=\"c\" up=\"l\" down=\"l\"/>", "Cluster"),
       "p.xml:6:1: \"c\" is no host declared before in zone \"z\"; use a, b or z"},
      {"HostLinkOutside", zone(kTwo + "<host_link id=\"a\" up=\"l\" down=\"l\"/>"),
       "p.xml:6:1: <host_link> stands in a zone with routing=\"Cluster\" only"},
      {"PeerOutside", zone("<peer id=\"p\" speed=\"1Gf\" bw_in=\"1Bps\" bw_out=\"1Bps\"/>"),
       "p.xml:4:1: <peer> stands in a zone with routing=\"Vivaldi\" only"},
      {"NoCoordinates", zone("<host id=\"a\" speed=\"1Gf\" coordinates=\"1 2\"/>", "Vivaldi"),
       "p.xml:4:1: coordinates \"1 2\" must be three numbers in a zone with routing=\"Vivaldi\", like \"25.5 9.4 "
       "1.4\""},
      {"Gateway",
       file("<zone id=\"z\" routing=\"Full\"><zone id=\"x\" routing=\"Full\">" + kTwo +
            "</zone><zone id=\"y\" routing=\"Full\"><host id=\"c\" speed=\"1Gf\"/></zone>\n<zoneRoute src=\"x\" "
            "dst=\"y\" "
            "gw_src=\"c\" gw_dst=\"c\">" +
            kCross + "</zoneRoute></zone>"),
       "p.xml:6:1: gw_src: the gateway \"c\" is no host or router in zone \"x\""},
      {"MalformedRadical", cluster("", "0-3-5"),
       "p.xml:3:1: radical: \"0-3-5\" is no range of numbers; write it like \"0-15\" or \"0-3,8\""},
      {"RadicalTwice", cluster("", "0-3,2"), "p.xml:3:1: radical: \"0-3,2\" has the number 2 twice"},
      {"HugeRadical", cluster("", "0-2000000"), "p.xml:3:1: radical: \"0-2000000\" is more than 1000000 hosts"},
      {"WrongTorus", cluster(" topology=\"TORUS\" topo_parameters=\"3,2\""),
       "p.xml:3:1: cluster \"c\": topo_parameters \"3,2\" are of 6 hosts and the radical has only 4; name as many"},
      {"WrongFatTree", cluster(" topology=\"FAT_TREE\" topo_parameters=\"2;4;1,2;1,2\""),
       "p.xml:3:1: topo_parameters: \"2;4;1,2;1,2\" needs a number of levels and three lists of as many numbers, like "
       "\"2;4,4;1,2;1,2\""},
      {"WrongDragonfly", cluster(" topology=\"DRAGONFLY\" topo_parameters=\"3,4;4,3;2,1;2\""),
       "p.xml:3:1: topo_parameters: \"3,4;4,3;2,1;2\" has 3 groups and 2 blades in a chassis; blade g leads to group "
       "g, so it needs as many blades as groups"},
      {"NoTopology", cluster(" topology=\"TORUS\""),
       "p.xml:3:1: topo_parameters: \"\" is no whole number of 1 to 1000000; write them like \"3,2,2\""},
      {"BackboneOfNoBandwidth", cluster(" bb_lat=\"1us\""), "p.xml:3:1: bb_lat stands without bb_bw; give both"},
      {"NoProfile", zone("<host id=\"a\" speed=\"1Gf\" speed_file=\"nowhere.profile\"/>"),
       "p.xml:4:1: speed_file \"nowhere.profile\": there is no file \"nowhere.profile\"; paths are relative to the "
       "platform file"},
      {"MalformedTrace", zone("<trace id=\"t\" periodicity=\"1\">0</trace>"),
       "p.xml:4:1: trace \"t\": line 1: \"0\" is no time and value, like \"10 0.5\""},
      {"TraceGoesBack", zone("<trace id=\"t\" periodicity=\"0\">2 1\n1 0.5</trace>"),
       "p.xml:4:1: trace \"t\": line 2: the time 1 is before that of the line above"},
      {"UnknownTrace", zone(kTwo + "<trace_connect trace=\"t\" element=\"a\"/>"),
       "p.xml:6:1: no trace \"t\" is declared before"},
      {"TraceOfNothing",
       zone(kTwo + "<trace id=\"t\" periodicity=\"0\">2 1</trace>\n<trace_connect trace=\"t\" element=\"c\"/>"),
       "p.xml:7:1: element: there is no host \"c\""},
  };
  return all;
}

class BadSimgridXml : public testing::TestWithParam<BadFile> {};

TEST_P(BadSimgridXml, IsRefusedWithPlaceAndAdvice) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(EveryMistake, BadSimgridXml, testing::ValuesIn(cases()), title_of);

}  // namespace
}  // namespace foreflow::platform::bad_simgrid_xml_test
