// What a scenario may say about a machine, beyond one topology on one fabric.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "foreflow/base/nth.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/recipe.h"
#include "support/recipe_text.h"

namespace foreflow::platform::recipes_test {
namespace {

using test::machine;
using test::recipe;

std::map<std::string, int> devices_of_nodes(const Platform& platform) {
  std::map<std::string, int> nodes;
  for (const Device& device : platform.devices()) ++nodes[device.node];
  return nodes;
}

std::vector<std::string> names(const Platform& platform, int from, int to) {
  std::vector<std::string> all;
  for (const int link : platform.route(from, to).links) all.push_back(nth(platform.links(), link).name);
  return all;
}

double slowest(const Platform& platform, int from, int to) {
  return route_bandwidth(platform, platform.route(from, to)).value();
}

TEST(Recipes, MixUnequalNodes) {
  const Platform platform = machine(R"({"parts": [{"topology": "dgx_a100", "nodes": 2},
                                                  {"topology": "dgx1", "nodes": 1},
                                                  {"topology": "a40_pcie", "nodes": 1, "gpus_per_node": 3}]})");
  EXPECT_EQ(platform.name(), "dgx_a100_2+dgx1_1+a40_pcie_1");
  EXPECT_EQ(devices_of_nodes(platform),
            (std::map<std::string, int>{{"node0", 8}, {"node1", 8}, {"node2", 8}, {"node3", 3}}));
  EXPECT_EQ(platform.devices()[15].kind, "A100-SXM4-80GB");
  EXPECT_EQ(platform.devices()[16].kind, "V100-SXM2-32GB");
  EXPECT_EQ(platform.devices()[26].kind, "A40-48GB");
  EXPECT_EQ(slowest(platform, 0, 8), 25e9) << "A100 to A100";
  EXPECT_EQ(slowest(platform, 0, 16), 12.5e9) << "A100 to V100";
}

TEST(Recipes, OfEqualNeighboursAreOne) {
  EXPECT_EQ(recipe(R"({"parts": [{"topology": "dgx1", "nodes": 2}, {"topology": "dgx1", "nodes": 1}]})"),
            recipe(R"({"topology": "dgx1", "nodes": 3})"));
}

// 4 NICs for 8 GPUs: two to one. 16: two for each.
TEST(Recipes, ShareOrMultiplyNics) {
  const Platform few  = machine(R"({"topology": "dgx_a100", "nodes": 2, "nics_per_node": 4})");
  const Platform many = machine(R"({"topology": "dgx_a100", "nodes": 2, "nics_per_node": 16})");
  EXPECT_DOUBLE_EQ(bisection_bandwidth(few).value(), 4 * 25e9);
  EXPECT_EQ(names(few, 2, 8 + 7), (std::vector<std::string>{"node0-gpu2-pcie_UP", "node0-nic1_UP", "node1-nic3_DOWN",
                                                            "node1-gpu7-pcie_DOWN"}));
  EXPECT_EQ(names(few, 3, 8 + 7)[1], "node0-nic1_UP");
  EXPECT_EQ(names(many, 3, 8 + 7).size(), 6u) << "either NIC has a connection to the switch of its own";
  const std::string nic = names(many, 3, 8 + 7)[2];
  EXPECT_TRUE(nic == "node0-nic6-port_UP" || nic == "node0-nic7-port_UP") << nic;
}

// GPUs of a DGX-1 that no NVLink joins talk through the switches, not through other GPUs.
TEST(Recipes, JoinADgx1ByPairsOfNvlinks) {
  const Platform dgx1 = machine(R"({"topology": "dgx1"})");
  EXPECT_EQ(names(dgx1, 0, 3), (std::vector<std::string>{"node0-gpu0-gpu3_UP"}));
  EXPECT_EQ(slowest(dgx1, 0, 3), 50e9);
  EXPECT_EQ(slowest(dgx1, 0, 1), 25e9);
  EXPECT_EQ(names(dgx1, 0, 5), (std::vector<std::string>{"node0-gpu0-pcie_UP", "node0-pcie0-uplink_UP", "node0-qpi_UP",
                                                         "node0-pcie2-uplink_DOWN", "node0-gpu5-pcie_DOWN"}));
  std::map<std::string, double> nvlinks;  // bandwidth of each GPU's: six links of 25 GB/s
  for (const Link& link : dgx1.links()) {
    if (link.kind != "nvlink") continue;
    for (int gpu = 0; gpu < 8; ++gpu) {
      if (link.name.find(fmt::format("gpu{}", gpu)) != std::string::npos)
        nvlinks[fmt::format("gpu{}", gpu)] += link.bandwidth.value() / 2;
    }
  }
  ASSERT_EQ(nvlinks.size(), 8u);
  for (const auto& [gpu, bandwidth] : nvlinks) EXPECT_EQ(bandwidth, 6 * 25e9) << gpu;
}

// The GPUs of one PCIe switch share its uplink.
TEST(Recipes, ShareUplinksOfPcieTrees) {
  const Platform a10 = machine(R"({"topology": "a10_pcie", "nodes": 2})");
  for (const int gpu : {0, 1, 2, 3}) {
    EXPECT_EQ(names(a10, gpu, 4), (std::vector<std::string>{fmt::format("node0-gpu{}-pcie_UP", gpu),
                                                            "node0-pcie0-uplink_UP", "node0-nic0_UP", "node1-nic0_DOWN",
                                                            "node1-pcie0-uplink_DOWN", "node1-gpu0-pcie_DOWN"}));
  }
  EXPECT_EQ(names(a10, 0, 3), (std::vector<std::string>{"node0-gpu0-pcie_UP", "node0-gpu3-pcie_DOWN"}));
  const Platform a40 = machine(R"({"topology": "a40_pcie", "nodes": 1})");
  EXPECT_EQ(names(a40, 0, 3), (std::vector<std::string>{"node0-gpu0-pcie_UP", "node0-upi_UP", "node0-gpu3-pcie_DOWN"}));
}

TEST(Recipes, CutRacksIntoNvlinkDomains) {
  const Platform whole = machine(R"({"topology": "gb200_nvl72", "nodes": 2})");
  const Platform cut   = machine(R"({"topology": "gb200_nvl72", "nodes": 2, "nvlink_domain": 8})");
  EXPECT_EQ(cut.devices().size(), whole.devices().size());
  EXPECT_EQ(devices_of_nodes(cut).size(), 2u * 9);
  EXPECT_EQ(slowest(whole, 0, 8), 900e9);
  EXPECT_EQ(slowest(cut, 0, 7), 900e9);
  EXPECT_EQ(slowest(cut, 0, 8), 50e9) << "another domain of the same rack";
}

TEST(Recipes, UseNvlinkHoweverFastPcieIs) {
  const Platform usual = machine(R"({"topology": "dgx2", "nodes": 2})");
  const Platform fast  = machine(R"({"topology": "dgx2", "nodes": 2, "links": {"pcie": {"latency": "1ns"}}})");
  for (int gpu = 1; gpu < 16; ++gpu) EXPECT_EQ(names(fast, 0, gpu), names(usual, 0, gpu)) << gpu;
  EXPECT_EQ(names(fast, 0, 16), names(usual, 0, 16));
  // Of a DGX-1, which joins only some pairs.
  const Platform dgx1 = machine(R"({"topology": "dgx1", "nodes": 2})");
  const Platform slow = machine(R"({"topology": "dgx1", "nodes": 2, "links": {"nvlink": {"latency": "1ms"}}})");
  for (int gpu = 1; gpu < 8; ++gpu) EXPECT_EQ(names(slow, 0, gpu), names(dgx1, 0, gpu)) << gpu;
  const Platform written = with_links(dgx1, recipe(R"({"topology": "dgx1", "nodes": 2, "links": {
      "nvlink": {"latency": "1ms"}}})")
                                                .links);
  for (int gpu = 1; gpu < 8; ++gpu) EXPECT_EQ(names(written, 0, gpu), names(dgx1, 0, gpu)) << gpu;
}

TEST(Recipes, ChangeLinksByKindAndByName) {
  const Platform changed = machine(R"({"topology": "dgx_a100", "nodes": 2, "links": {
      "nic": {"bandwidth": "50GBps", "latency": "2us"}, "node0-nic1": {"bandwidth": "40Gbps"}}})");
  EXPECT_EQ(slowest(changed, 0, 8), 31e9) << "now PCIe";
  EXPECT_EQ(slowest(changed, 1, 8), 5e9);
  EXPECT_DOUBLE_EQ(changed.route(1, 8).latency.value(), 2 * 2.85e-6 + 2 * 2e-6);
  const Platform written = machine(R"({"topology": "dgx_a100", "nodes": 2})");
  const Platform same    = with_links(written, recipe(R"({"topology": "dgx_a100", "nodes": 2, "links": {
      "nic": {"bandwidth": "50GBps", "latency": "2us"}, "node0-nic1": {"bandwidth": "40Gbps"}}})")
                                                   .links);
  EXPECT_EQ(slowest(same, 1, 8), 5e9);
  EXPECT_DOUBLE_EQ(same.route(1, 8).latency.value(), changed.route(1, 8).latency.value());
  EXPECT_EQ(same.route(0, 9).links, changed.route(0, 9).links);
  ASSERT_EQ(same.links().size(), changed.links().size());
  for (size_t i = 0; i < same.links().size(); ++i) {
    EXPECT_EQ(same.links()[i].bandwidth, changed.links()[i].bandwidth) << same.links()[i].name;
    EXPECT_EQ(same.links()[i].latency, changed.links()[i].latency) << same.links()[i].name;
  }
}

// In the XML that a recipe becomes, and of links that a file has; of each number, the name counts for more than the
// kind.
TEST(Recipes, ChangeWhatAProtocolMakesOfLinks) {
  const std::string changes = R"("links": {"nic": {"efficiency": 0.9, "channels": 4, "step_latency": "3us"},
                                           "node0-nic1": {"efficiency": 0.5}})";
  const std::string plain   = R"({"topology": "dgx_a100", "nodes": 2)";
  const Recipe changed      = recipe(plain + ", " + changes + "}");
  for (const Platform& platform : {make(changed), with_links(machine(plain + "}"), changed.links)}) {
    for (const Link& link : platform.links()) {
      const bool nic = link.kind == "nic", one = link.name.starts_with("node0-nic1_");
      EXPECT_EQ(link.efficiency, one ? 0.5 : nic ? 0.9 : 1) << link.name;
      EXPECT_EQ(link.channels, nic ? 4 : 0) << link.name;
      EXPECT_EQ(link.step_latency, nic ? Seconds(3e-6) : Seconds(0)) << link.name;
    }
    EXPECT_DOUBLE_EQ(slowest(platform, 1, 8), 0.5 * 25e9);
    EXPECT_DOUBLE_EQ(platform.step_latency(platform.route(1, 8)).value(), platform.route(1, 8).latency.value() + 6e-6);
  }
}

// With ports of 100 us a PCIe switch is nearer than the NVSwitch, so the route itself changes.
TEST(Recipes, FindRoutesAnewWhereLatenciesChange) {
  const auto crosses_first_card = [](const std::string& links) {
    const auto crossed = names(machine(R"({"topology": "dgx1", "nodes": 2)" + links + "}"), 0, 8);
    return std::find(crossed.begin(), crossed.end(), "node0-nic0_UP") != crossed.end();
  };
  EXPECT_TRUE(crosses_first_card(""));
  EXPECT_FALSE(crosses_first_card(R"(, "links": {"node0-nic0": {"latency": "100us"}})"));
}

void expect_equal_routes(const Platform& a, const Platform& b) {
  ASSERT_EQ(a.devices().size(), b.devices().size());
  for (int from = 0; from < static_cast<int>(a.devices().size()); ++from) {
    for (int to = 0; to < static_cast<int>(a.devices().size()); ++to) {
      const Route one = a.route(from, to), other = b.route(from, to);
      EXPECT_EQ(one.links, other.links) << from << " " << to;
      EXPECT_EQ(one.latency, other.latency) << from << " " << to;
    }
  }
}

TEST(Recipes, HaveEqualRoutesWhereNoLatencyDiffers) {
  const std::string nodes = R"({"topology": "dgx_a100", "nodes": 4, "fabric": "fat_tree2")";
  const Recipe plain      = recipe(nodes + "}");
  const Recipe slower     = recipe(nodes + R"(, "links": {"nic": {"bandwidth": "1GBps", "efficiency": 0.5},
                                                      "node1-nic0": {"bandwidth": "2GBps", "step_latency": "1us"}}})");
  const Recipe later      = recipe(nodes + R"(, "links": {"node1-nic0": {"latency": "1ms"}}})");
  EXPECT_TRUE(have_equal_routes(plain, slower));
  expect_equal_routes(make(plain), make(slower));
  EXPECT_FALSE(have_equal_routes(plain, later));
  EXPECT_FALSE(have_equal_routes(plain, recipe(R"({"topology": "dgx_a100", "nodes": 4})")));
}

TEST(Recipes, SayWhatSwitchesReduce) {
  const auto reducing = [](const Platform& platform, const std::string& kind) {
    for (const Link& link : platform.links()) {
      if (link.kind == kind) return link.in_switch;
    }
    return false;
  };
  const Platform h100 = machine(R"({"topology": "dgx_h100", "nodes": 2})");
  EXPECT_TRUE(reducing(h100, "nvlink")) << "NVLS";
  EXPECT_FALSE(reducing(h100, "nic"));
  EXPECT_EQ(h100.devices().front().nvlink_generation, 4);
  EXPECT_FALSE(reducing(machine(R"({"topology": "dgx_a100", "nodes": 2})"), "nvlink"));
  const Platform sharp =
      machine(R"({"topology": "dgx_a100", "nodes": 2, "fabric": "fat_tree2", "leaf_ports": 8, "sharp": true})");
  EXPECT_TRUE(reducing(sharp, "nic"));
  EXPECT_TRUE(reducing(sharp, "fabric"));
}

TEST(Recipes, MayHave16384Gpus) {
  for (const FabricDef& fabric : fabrics()) {
    EXPECT_EQ(
        device_count(recipe(fmt::format(R"({{"topology": "dgx_h100", "nodes": 2048, "fabric": "{}"}})", fabric.name))),
        16384);
  }
}

}  // namespace
}  // namespace foreflow::platform::recipes_test
