// How messages find their way through fabrics, by the counts of the papers.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/platform/describe.h"
#include "platform/fabrics/dragonfly_ways.h"
#include "support/recipe_text.h"

namespace foreflow::platform::fabric_routings_test {
namespace {

using test::machine;

constexpr double kNic = 50e9;  // of a dgx_h100, which has eight

std::string h100(int nodes, const std::string& fabric) {
  return fmt::format(R"({{"topology": "dgx_h100", "nodes": {}, "fabric": {}}})", nodes, fabric);
}

// Flows on the fullest link between switches when all send at once; a link twice as wide counts half.
double fullest(const Platform& platform, const std::vector<std::pair<int, int>>& flows) {
  std::map<int, int> loads;
  for (const auto& [from, to] : flows) {
    for (const int link : platform.route(from, to).links) ++loads[link];
  }
  double most = 0;
  for (const auto& [link, load] : loads) {
    const Link& crossed = nth(platform.links(), link);
    if (crossed.kind == "fabric") most = std::max(most, load * kNic / crossed.bandwidth.value());
  }
  return most;
}

// Every GPU sends to the same one of the node so much further.
std::vector<std::pair<int, int>> shift(const Platform& platform, int nodes) {
  const int count = static_cast<int>(platform.devices().size());
  std::vector<std::pair<int, int>> flows;
  for (int from = 0; from < count; ++from) flows.emplace_back(from, (from + 8 * nodes) % count);
  return flows;
}

int groups_crossed(const Platform& platform, const Route& route) {
  std::set<std::string> groups;
  for (const int link : route.links) {
    const std::string& name = nth(platform.links(), link).name;
    for (size_t at = name.find("group"); at != std::string::npos; at = name.find("group", at + 1))
      groups.insert(name.substr(at, name.find('-', at) - at));
  }
  return static_cast<int>(groups.size());
}

std::string refusal(const std::string& text) {
  try {
    machine(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Routings, SpreadOverAllUplinksOfAFatTreeWithoutCollision) {
  for (const std::string tree : {R"("fat_tree2", "leaf_ports": 8)", R"("fat_tree3", "leaf_ports": 8)"}) {
    const Platform hashed   = machine(h100(16, tree + R"(, "routing": "hash")"));
    const Platform adaptive = machine(h100(16, tree + R"(, "routing": "adaptive")"));
    const Platform turns    = machine(h100(16, tree + R"(, "routing": "ecmp")"));
    EXPECT_GT(fullest(hashed, shift(hashed, 1)), 1) << "hashes collide: " << tree;
    for (const int nodes : {1, 3, 8}) {
      EXPECT_DOUBLE_EQ(fullest(adaptive, shift(adaptive, nodes)), 1) << tree;
      EXPECT_DOUBLE_EQ(fullest(turns, shift(turns, nodes)), 1) << tree;
    }
    EXPECT_EQ(bisection_bandwidth(adaptive), bisection_bandwidth(hashed)) << "no more is built: " << tree;
  }
}

TEST(Routings, CollideInHashesAsOftenAsBallsInBins) {
  // 128 flows of 16 leaves, 8 over 8 ways each: a leaf has no collision with probability 8! / 8^8 = 0.24 %.
  const Platform hashed = machine(h100(16, R"("fat_tree2", "leaf_ports": 8, "routing": "hash")"));
  std::map<int, int> up;
  for (const auto& [from, to] : shift(hashed, 1)) {
    for (const int link : hashed.route(from, to).links) {
      const Link& crossed = nth(hashed.links(), link);
      if (crossed.kind == "fabric" && crossed.name.ends_with("_UP")) ++up[link];
    }
  }
  // Of 128 uplinks (7/8)^8 = 34 % stay empty, on average.
  const double empty = 1 - static_cast<double>(up.size()) / 128;
  EXPECT_NEAR(empty, std::pow(7.0 / 8, 8), 0.12);
}

// 16 nodes: 128 ports, 3 to a router, 6 routers to a group, 8 groups with 2 cables for every two.
TEST(Routings, OfADragonflyGoByWayOfOtherGroups) {
  const Platform minimal = machine(h100(16, R"("dragonfly", "routing": "minimal")"));
  const Platform plain   = machine(h100(16, R"("dragonfly")"));
  const Platform valiant = machine(h100(16, R"("dragonfly", "routing": "valiant")"));
  const Platform ugal    = machine(h100(16, R"("dragonfly", "routing": "ugal")"));
  int round              = 0;
  for (int to = 8; to < 128; ++to) {
    const Route direct = minimal.route(0, to);
    EXPECT_EQ(direct.links, plain.route(0, to).links) << "minimal is the default";
    const int far = groups_crossed(minimal, direct);
    EXPECT_LE(far, 2);
    if (far == 2) {
      EXPECT_EQ(groups_crossed(valiant, valiant.route(0, to)), 3) << to;
    }
    const int ugal_far = groups_crossed(ugal, ugal.route(0, to));
    EXPECT_TRUE(ugal_far == far || ugal_far == 3) << to;
    round += ugal_far == 3 && far == 2 ? 1 : 0;
  }
  EXPECT_GT(round, 0);
}

// The way of every message is a way: each link begins where the last one ended, and none stands twice.
TEST(Routings, OfADragonflyAreConnectedWays) {
  for (const std::string routing : {"valiant", "ugal", "adaptive"}) {
    const Platform platform = machine(h100(16, fmt::format(R"("dragonfly", "routing": "{}")", routing)));
    const Graph& graph      = *platform.graph();
    std::map<int, std::pair<int, int>> ends;
    for (const Edge& edge : graph.edges) {
      ends[edge.forth.front()] = {edge.a, edge.b};
      ends[edge.back.front()]  = {edge.b, edge.a};
    }
    for (int from = 0; from < 128; from += 5) {
      for (int to = 0; to < 128; ++to) {
        const std::vector<int> links = platform.route(from, to).links;
        int at                       = from;
        for (const int link : links) {
          ASSERT_EQ(ends.at(link).first, at) << from << " " << to;
          at = ends.at(link).second;
        }
        EXPECT_EQ(at, to);
        EXPECT_EQ(std::set<int>(links.begin(), links.end()).size(), links.size());
      }
    }
  }
}

TEST(Routings, OfADragonflyRelieveTheCableBetweenNeighbours) {
  const Platform minimal = machine(h100(128, R"("dragonfly")"));
  const Platform ugal    = machine(h100(128, R"("dragonfly", "routing": "ugal")"));
  EXPECT_EQ(fullest(minimal, shift(minimal, 1)), 8) << "all NICs of a node over one cable";
  EXPECT_LE(fullest(ugal, shift(ugal, 1)), 4);
  // A shift by a whole group and more: the worst case of the paper.
  EXPECT_LT(fullest(ugal, shift(ugal, 16)), fullest(minimal, shift(minimal, 16)) / 4);
}

// n messages, c cables, g groups: the queue of the direct cable is at most twice that of the others, as UGAL has it.
TEST(Routings, SendAsManyDirectlyAsUgal) {
  EXPECT_EQ(direct_of(8, 8, 9), 8) << "no queue";
  EXPECT_EQ(direct_of(8, 1, 2), 8) << "there is no other group";
  EXPECT_EQ(direct_of(8, 1, 9), 2);
  for (const int groups : {3, 9, 33}) {
    for (const int messages : {1, 8, 32, 100}) {
      const int direct   = direct_of(messages, 1, groups);
      const double round = 2.0 * (messages - direct) / (groups - 1);
      EXPECT_GE(direct + 1e-9, std::min<double>(messages, round)) << "fewer would leave the short way too empty";
      EXPECT_LE(direct - 1, round + 1) << "more would queue";
    }
  }
}

TEST(Routings, FollowTheNetworkOfTheNodes) {
  const auto of = [](const std::string& more) {
    return test::recipe(fmt::format(R"({{"topology": "dgx_h100", "nodes": 4, "fabric": "fat_tree2"{}}})", more));
  };
  EXPECT_EQ(of("").ecmp, "dmodk");
  EXPECT_EQ(of(R"(, "network": "roce_400")").ecmp, "hash");
  EXPECT_EQ(of(R"(, "network": "efa_400")").routing, "adaptive");
  EXPECT_EQ(of(R"(, "network": "efa_400", "routing": "ecmp")").routing, "");
  EXPECT_EQ(of(R"(, "ecmp": "hash")").ecmp, "hash") << "the old name";
}

TEST(Routings, AreRefusedWhereTheyMeanNothing) {
  EXPECT_EQ(refusal(R"({"topology": "dgx_h100", "nodes": 4, "routing": "valiant"})"),
            "c.json: $.routing: the fabric star has no routing \"valiant\"; use dmodk, ecmp or hash");
  EXPECT_NE(refusal(h100(4, R"("fat_tree2", "routing": "ugal")")).find("use dmodk, ecmp, hash or adaptive"),
            std::string::npos);
  EXPECT_NE(refusal(h100(4, R"("fat_tree2", "routing": "hash", "ecmp": "hash")")).find("stands beside \"routing\""),
            std::string::npos);
  EXPECT_EQ(
      refusal(h100(4, R"("rail_only", "oversubscription": 2)")),
      "c.json: $.oversubscription: means nothing on the fabric rail_only: its switches have no uplinks; leave it out "
      "or use the fabric fat_tree2, fat_tree3, rail_optimized or dragonfly");
  EXPECT_NE(refusal(h100(4, R"("torus2d", "oversubscription": 2)")).find("cable_nics"), std::string::npos);
  EXPECT_NE(refusal(h100(4, R"("star", "oversubscription": 2)")).find("does not block"), std::string::npos);
}

std::vector<std::string> links_of(const Platform& platform, const std::string& from, const std::string& to) {
  std::vector<std::string> names;
  for (const int link : platform.route(*platform.find_device(from), *platform.find_device(to)).links)
    names.push_back(nth(platform.links(), link).name);
  return names;
}

TEST(Routings, OfADragonflyAreWrittenPairByPair) {
  for (const std::string routing : {"valiant", "ugal"}) {
    const auto recipe    = test::recipe(h100(9, R"("dragonfly", "routing": ")" + routing + "\""));
    const Platform made  = make(recipe);
    const Platform again = load(write_xml(recipe), "again.xml");
    ASSERT_EQ(again.devices().size(), made.devices().size());
    for (size_t from = 0; from < made.devices().size(); ++from) {
      for (size_t to = 0; to < made.devices().size(); ++to) {
        const std::string a = made.devices()[from].name, b = made.devices()[to].name;
        EXPECT_EQ(links_of(again, a, b), links_of(made, a, b)) << a << " to " << b;
      }
    }
  }
}

TEST(Routings, OfALargeDragonflyAreRefusedAsAFile) {
  try {
    write_xml(test::recipe(h100(64, R"("dragonfly", "routing": "ugal")")));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a route for every two devices, of 256 at most"), std::string::npos);
  }
}

TEST(Torus, HasTheSidesOfItsNodesAndCablesOfOneNic) {
  const auto dims = [](int nodes, const std::string& fabric) {
    const std::string xml = write_xml(test::recipe(
        fmt::format(R"({{"topology": "a40_pcie", "nodes": {}, "gpus_per_node": 1, "fabric": "{}"}})", nodes, fabric)));
    const size_t end      = xml.find(" switches, one for each node");
    return xml.substr(xml.rfind("  ", end) + 2, end - xml.rfind("  ", end) - 2);
  };
  EXPECT_EQ(dims(32, "torus2d"), "4 x 8 x 1");
  EXPECT_EQ(dims(36, "torus2d"), "6 x 6 x 1");
  EXPECT_EQ(dims(7, "torus2d"), "1 x 7 x 1") << "a prime number is a ring";
  EXPECT_EQ(dims(32, "torus3d"), "2 x 4 x 4");
  EXPECT_EQ(dims(64, "torus3d"), "4 x 4 x 4");
  const auto widest = [](const Platform& platform) {
    double most = 0;
    for (const Link& link : platform.links()) most = link.kind == "fabric" ? link.bandwidth.value() : most;
    return most;
  };
  EXPECT_EQ(widest(machine(h100(16, R"("torus2d")"))), kNic);
  EXPECT_EQ(widest(machine(h100(16, R"("torus2d", "cable_nics": 8)"))), 8 * kNic);
  EXPECT_EQ(widest(machine(R"({"topology": "tpu_v5p", "nodes": 64})")), 100e9);
}

TEST(RailOnly, GoesToAnotherRailThroughAGpuOfTheNode) {
  const Platform platform = machine(h100(4, R"("rail_only")"));
  std::vector<std::string> kinds;
  for (const int link : platform.route(3, 8 + 3).links) kinds.push_back(nth(platform.links(), link).kind);
  EXPECT_EQ(kinds, (std::vector<std::string>{"pcie", "nic", "nic", "pcie"}));
  kinds.clear();
  for (const int link : platform.route(3, 8 + 5).links) kinds.push_back(nth(platform.links(), link).kind);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "nvlink"), 2) << "to the GPU of the other rail";
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "nic"), 2);
  // As NCCL's PXN: out over the card of the receiver's rail.
  for (int from = 0; from < 8; ++from) {
    for (int to = 0; to < 8; ++to) {
      const Route route = platform.route(from, 8 + to);
      const auto leaves = [&](int link) {
        return nth(platform.links(), link).name == "node0-nic" + std::to_string(to) + "_UP";
      };
      EXPECT_TRUE(std::any_of(route.links.begin(), route.links.end(), leaves)) << from << " to " << to;
    }
  }
  EXPECT_EQ(platform.route(3, 5).links.size(), 2u) << "inside the node as ever";
}

TEST(Sites, AreJoinedByTheirGateways) {
  const std::string text =
      R"({"sites": [{"topology": "dgx_h100", "nodes": 2}, {"topology": "dgx_a100", "nodes": 4, "fabric": "fat_tree2",
          "leaf_ports": 8}, {"topology": "dgx_h100", "nodes": 2, "fabric": "torus2d"}],
          "wan": {"bandwidth": "100Gbps", "latency": "5ms"}})";
  const Platform platform = machine(text);
  EXPECT_EQ(platform.devices().size(), 64u);
  EXPECT_EQ(platform.nodes(), 8);
  EXPECT_EQ(groups_crossed(platform, platform.route(0, 8)), 0);
  for (const auto& [from, to] : {std::pair{0, 16}, std::pair{0, 63}, std::pair{20, 50}}) {
    const Route route = platform.route(from, to);
    EXPECT_EQ(std::count_if(route.links.begin(), route.links.end(),
                            [&](int link) { return nth(platform.links(), link).kind == "wan"; }),
              1);
    EXPECT_EQ(route_bandwidth(platform, route).value(), 12.5e9);
    EXPECT_GT(route.latency.value(), 5e-3);
    EXPECT_LT(route.latency.value(), 5.1e-3);
  }
  for (const int to : {8, 12}) {
    for (const int link : platform.route(0, to).links) EXPECT_NE(nth(platform.links(), link).kind, "wan");
  }
  const Platform again = load(write_xml(test::recipe(text)), "sites.xml");
  EXPECT_EQ(again.route(0, 63).links.size(), platform.route(0, 63).links.size());
}

std::string two_sites(const std::string& fabric, int nodes, const std::string& wan) {
  const std::string site = h100(nodes, fabric);
  return fmt::format(R"({{"sites": [{}, {}], "wan": {{"bandwidth": "{}", "latency": "5ms"}}}})", site, site, wan);
}

TEST(Sites, AreLimitedByTheLineOrByAllTheirCards) {
  for (const std::string fabric : {R"("star")", R"("fat_tree2", "leaf_ports": 8)", R"("fat_tree3", "leaf_ports": 8)",
                                   R"("rail_optimized")", R"("rail_only")", R"("torus2d")", R"("dragonfly")"}) {
    for (const double nics : {1.0, 8.0, 32.0, 100.0}) {
      const Platform platform = machine(two_sites(fabric, 4, fmt::format("{}GBps", nics * kNic / 1e9)));
      EXPECT_NEAR(bisection_bandwidth(platform).value(), std::min(nics, 32.0) * kNic, 1e3) << fabric;
    }
  }
}

TEST(Sites, AreNoShortcutForMessagesInsideThem) {
  for (const std::string fabric : {R"("rail_only")", R"("torus2d")", R"("torus3d")", R"("dragonfly")"}) {
    const Platform platform = machine(two_sites(fabric, 16, "100GBps"));
    for (int from = 0; from < 128; from += 5) {
      for (int to = 0; to < 128; ++to) {
        for (const int link : platform.route(from, to).links)
          EXPECT_EQ(nth(platform.links(), link).name.find("gateway"), std::string::npos) << fabric << from << " " << to;
      }
    }
  }
}

TEST(Sites, AreRefusedWithTheReason) {
  EXPECT_NE(refusal(R"({"sites": [{"topology": "dgx_h100"}], "wan": {"bandwidth": "1Gbps", "latency": "1ms"}})")
                .find("1 sites; give 2"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"sites": [{"topology": "dgx_h100"}, {"topology": "dgx1"}]})").find("\"wan\" is missing"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"sites": [{"topology": "dgx_h100"}, {"topology": "dgx1"}], "nodes": 2,
                        "wan": {"bandwidth": "1Gbps", "latency": "1ms"}})")
                .find("each site has its own"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"sites": [{"topology": "dgx_h100", "nodes": 16, "fabric": "dragonfly", "routing": "ugal"},
                        {"topology": "dgx1"}], "wan": {"bandwidth": "1Gbps", "latency": "1ms"}})")
                .find("does not go with sites"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"sites": [{"topology": "dgx_h100", "links": {}}, {"topology": "dgx1"}],
                        "wan": {"bandwidth": "1Gbps", "latency": "1ms"}})")
                .find("links"),
            std::string::npos);
}

TEST(Cards, AreToldWhereNoGpuUsesThem) {
  const CardUse plain = machine(h100(2, R"("star")")).cards();
  EXPECT_EQ(plain.cards, 16);
  EXPECT_EQ(plain.idle, 0);
  const CardUse many =
      machine(R"({"topology": "dgx_h100", "nodes": 3, "gpus_per_node": 8, "nics_per_node": 16})").cards();
  EXPECT_EQ(many.cards, 48);
  EXPECT_EQ(many.idle, 24);
  const CardUse file = load_file(FOREFLOW_SOURCE_DIR "/platforms/p3_8xlarge_4.xml").cards();
  EXPECT_EQ(file.cards, 4);
  EXPECT_EQ(file.idle, 0);
  EXPECT_EQ(machine(R"({"topology": "dgx_h100", "nodes": 1, "nics_per_node": 16})").cards().idle, 0)
      << "a node alone sends nothing";
}

TEST(Cards, OfALargeFileAreThoseOfItsRecipe) {
  for (const int nics : {4, 8, 16}) {
    const Recipe recipe =
        test::recipe(fmt::format(R"({{"topology": "dgx_h100", "nodes": 64, "nics_per_node": {}}})", nics));
    const Platform by_rule = make(recipe), file = load(write_xml(recipe), "again.xml");
    EXPECT_EQ(file.cards().cards, 64 * nics);
    EXPECT_EQ(file.cards().cards, by_rule.cards().cards);
    EXPECT_EQ(file.cards().idle, by_rule.cards().idle) << nics;
    EXPECT_EQ(bisection_bandwidth(file).value(), bisection_bandwidth(by_rule).value()) << nics;
  }
}

// All cards of a DGX-1 are as far from a GPU, so that it leaves by the one that is nearest to where it sends.
TEST(Cards, OfADragonflyAreUsedByDistance) {
  for (const int nodes : {32, 40}) {  // 256 devices, and more
    const std::string text = fmt::format(R"({{"topology": "dgx1", "nodes": {}, "fabric": "dragonfly"}})", nodes);
    EXPECT_EQ(load(write_xml(test::recipe(text)), "again.xml").cards().idle, 0) << nodes;
    EXPECT_EQ(machine(text).cards().idle, 0) << nodes;
  }
}

}  // namespace
}  // namespace foreflow::platform::fabric_routings_test
