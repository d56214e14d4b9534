// Every mistake in the words of a machine gets one line that says where it is, what is wrong and what would be right.
#include <gtest/gtest.h>

#include <string>

#include "foreflow/base/error.h"
#include "support/recipe_text.h"

namespace foreflow::platform::bad_recipes_test {
namespace {

struct Mistake {
  std::string name;
  std::string json;
  std::string message;  // after "c.json: "
};

std::ostream& operator<<(std::ostream& out, const Mistake& mistake) { return out << mistake.json; }

class BadRecipes : public testing::TestWithParam<Mistake> {};

TEST_P(BadRecipes, AreRefusedInOneLine) {
  try {
    write_xml(test::recipe(GetParam().json));
    FAIL() << "nothing was wrong";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "c.json: " + GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Every, BadRecipes,
    testing::Values(
        Mistake{"nothing", R"({})", R"($: says no platform; give "topology", "parts", "sites" or "file")"},
        Mistake{"unknown_topology", R"({"topology": "dgx_a10"})",
                R"($.topology: unknown topology "dgx_a10"; the nearest is "dgx_a100" (see: foreflow list topologies))"},
        Mistake{"topology_of_a_number", R"({"topology": 3})", R"($.topology: expected a string, found 3)"},
        Mistake{"no_nodes", R"({"topology": "dgx1", "nodes": 0})", R"($.nodes: 0 is too small; use 1 or more)"},
        Mistake{"negative_nodes", R"({"topology": "dgx1", "nodes": -2})", R"($.nodes: -2 is too small; use 1 or more)"},
        Mistake{"half_a_node", R"({"topology": "dgx1", "nodes": 1.5})",
                R"($.nodes: expected a whole number, found 1.5)"},
        Mistake{"nodes_as_text", R"({"topology": "dgx1", "nodes": "4"})",
                R"($.nodes: expected a whole number, found "4")"},
        Mistake{"too_many_nodes", R"({"topology": "dgx1", "nodes": 1000000000})",
                R"($.nodes: 1000000000 is too large; use at most 1000000)"},
        Mistake{"too_many_devices", R"({"topology": "dgx1", "nodes": 500000})",
                R"($.nodes: 4000000 devices and 2000000 NICs are too many; use at most 1000000 of each)"},
        Mistake{"too_many_gpus", R"({"topology": "dgx1", "gpus_per_node": 9})",
                R"($.gpus_per_node: 9 is too large; use at most 8)"},
        Mistake{"no_nics", R"({"topology": "dgx2", "nics_per_node": 0})",
                R"($.nics_per_node: 0 is too small; use 1 or more)"},
        Mistake{"unknown_key", R"({"topology": "dgx2", "nics": 4})",
                R"($.nics: unknown key "nics"; the nearest is "nics_per_node")"},
        Mistake{"empty_parts", R"({"parts": []})", R"($.parts: is empty; name at least one topology)"},
        Mistake{"empty_parts_beside_a_topology", R"({"topology": "dgx1", "parts": []})",
                R"($.parts: is empty; name at least one topology)"},
        Mistake{
            "no_efficiency", R"({"topology": "dgx1", "links": {"nic": {"efficiency": 0}}})",
            R"($.links.nic.efficiency: is the share of the bandwidth that is left to payload; give a number above 0, at most 1)"},
        Mistake{
            "efficiency_above_one", R"({"topology": "dgx1", "links": {"nic": {"efficiency": 1.5}}})",
            R"($.links.nic.efficiency: is the share of the bandwidth that is left to payload; give a number above 0, at most 1)"},
        Mistake{"efficiency_in_percent", R"({"topology": "dgx1", "links": {"nic": {"efficiency": "90%"}}})",
                R"($.links.nic.efficiency: expected a number, found "90%")"},
        Mistake{"no_channels", R"({"topology": "dgx1", "links": {"nvlink": {"channels": 0}}})",
                R"($.links.nvlink.channels: 0 is too small; use 1 or more)"},
        Mistake{"half_a_channel", R"({"topology": "dgx1", "links": {"nvlink": {"channels": 2.5}}})",
                R"($.links.nvlink.channels: expected a whole number, found 2.5)"},
        Mistake{"step_latency_without_unit", R"({"topology": "dgx1", "links": {"nic": {"step_latency": "5"}}})",
                R"($.links.nic.step_latency: "5" has no unit; write it like "2us")"},
        Mistake{"negative_step_latency", R"({"topology": "dgx1", "links": {"nic": {"step_latency": "-5us"}}})",
                R"($.links.nic.step_latency: "-5us" is negative; write a quantity like "2us")"},
        Mistake{"misspelt_step_latency", R"({"topology": "dgx1", "links": {"nic": {"steplatency": "5us"}}})",
                R"($.links.nic.steplatency: unknown key "steplatency"; the nearest is "step_latency")"},
        Mistake{"parts_beside_nodes", R"({"parts": [{"topology": "dgx1"}], "nodes": 2})",
                R"($.nodes: stands beside "parts"; each part has its own)"},
        Mistake{
            "unknown_part", R"({"parts": [{"topology": "dgx1"}, {"topology": "dgx_h10"}]})",
            R"($.parts[1].topology: unknown topology "dgx_h10"; the nearest is "dgx_h100" (see: foreflow list topologies))"},
        Mistake{
            "unknown_key_of_a_part", R"({"parts": [{"topology": "dgx1", "fabric": "star"}]})",
            R"($.parts[0].fabric: unknown key "fabric"; use topology, nodes, gpus_per_node, nics_per_node, device, cpu, network or nvlink_domain)"},
        Mistake{
            "domain_that_divides_not", R"({"topology": "gb200_nvl72", "nvlink_domain": 7})",
            R"($.nvlink_domain: 7 does not divide the 72 GPUs of a gb200_nvl72; use 1, 2, 3, 4, 6, 8, 9, 12, 18, 24, 36 or 72)"},
        Mistake{
            "domain_of_nothing", R"({"topology": "gb200_nvl72", "nvlink_domain": 0})",
            R"($.nvlink_domain: 0 does not divide the 72 GPUs of a gb200_nvl72; use 1, 2, 3, 4, 6, 8, 9, 12, 18, 24, 36 or 72)"},
        Mistake{
            "domain_without_enough_nics", R"({"topology": "gb200_nvl72", "nvlink_domain": 8, "nics_per_node": 10})",
            R"($.nvlink_domain: the 10 NICs of a gb200_nvl72 cannot be shared out to 9 domains of 8 GPUs; use a multiple of 9 as nics_per_node)"},
        Mistake{"domain_of_a_mesh", R"({"topology": "dgx1", "nvlink_domain": 4})",
                R"($.nvlink_domain: the GPUs of a dgx1 are on no NVSwitch; leave it out)"},
        Mistake{"unknown_fabric", R"({"topology": "dgx2", "fabric": "fat_tree"})",
                R"($.fabric: unknown fabric "fat_tree"; the nearest is "fat_tree2" (see: foreflow list fabrics))"},
        Mistake{
            "key_of_another_fabric", R"({"topology": "dgx2", "fabric": "torus2d", "oversubscription": 2})",
            R"($.oversubscription: means nothing on the fabric torus2d: it has no uplinks; cable_nics says how wide its cables are; leave it out or use the fabric fat_tree2, fat_tree3, rail_optimized or dragonfly)"},
        Mistake{"misspelt_key_of_a_fabric", R"({"topology": "dgx2", "fabric": "fat_tree2", "oversubscripton": 2})",
                R"($.oversubscripton: unknown key "oversubscripton"; the nearest is "oversubscription")"},
        Mistake{
            "oversubscription_below_one", R"({"topology": "dgx2", "fabric": "fat_tree2", "oversubscription": 0.5})",
            R"($.oversubscription: 0.5 is no ratio of bandwidth down to bandwidth up; use 1 (non-blocking) to 1000)"},
        Mistake{"oversubscription_as_text", R"({"topology": "dgx2", "fabric": "fat_tree3", "oversubscription": "2:1"})",
                R"($.oversubscription: expected a number, found "2:1")"},
        Mistake{"leaf_without_ports", R"({"topology": "dgx2", "fabric": "fat_tree2", "leaf_ports": 0})",
                R"($.leaf_ports: 0 is too small; use 1 or more)"},
        Mistake{"too_many_links",
                R"({"topology": "dgx2", "fabric": "dragonfly", "router_ports": 1, "group_routers": 10000})",
                R"($: 1 groups of 10000 routers with 1 global links each have more than 4000000 links; use fewer)"},
        Mistake{
            "too_many_rails",
            R"({"parts": [{"topology": "dgx2", "nics_per_node": 1000}, {"topology": "p3_8xlarge", "nodes": 10000}], "fabric": "rail_optimized"})",
            R"($: 1000 rails for 10001 nodes are more than 4000000 ports of leaves; use fewer)"},
        Mistake{
            "parameter_without_its_fabric", R"({"topology": "dgx2", "leaf_ports": 8})",
            R"($.leaf_ports: the fabric star has no such parameter; leave it out or use the fabric fat_tree2 or fat_tree3)"},
        Mistake{"pod_without_nodes", R"({"topology": "dgx2", "fabric": "rail_optimized", "pod_nodes": 0})",
                R"($.pod_nodes: 0 is too small; use 1 or more)"},
        Mistake{"dims_of_another_torus", R"({"topology": "dgx2", "fabric": "torus3d", "dims": "4x4"})",
                R"($.dims: "4x4" is no size of 3 dimensions; write "4x4x4")"},
        Mistake{"too_few_dims", R"({"topology": "dgx2", "nodes": 20, "fabric": "torus2d", "dims": "4x4"})",
                R"($.dims: 16 switches are too few for 20 nodes; use more)"},
        Mistake{
            "too_many_groups",
            R"({"topology": "dgx2", "fabric": "dragonfly", "router_ports": 1, "group_routers": 2, "global_links": 1, "groups": 9})",
            R"($.groups: 9 groups of 2 routers with 1 global links each cannot all be joined; use at most 3 groups, or more group_routers, router_ports or global_links)"},
        Mistake{"too_few_groups", R"({"topology": "dgx2", "nodes": 8, "fabric": "dragonfly", "groups": 1})",
                R"($.groups: 1 is too small; use 8 or more)"},
        Mistake{"unknown_ecmp", R"({"topology": "dgx2", "ecmp": "random"})",
                R"($.ecmp: unknown rule "random" to choose among shortest paths; use dmodk, ecmp or hash)"},
        Mistake{"sharp_as_text", R"({"topology": "dgx2", "sharp": "yes"})",
                R"($.sharp: expected true or false, found "yes")"},
        Mistake{
            "unknown_link", R"({"topology": "dgx2", "links": {"nik": {"latency": "1us"}}})",
            R"($.links.nik: no link has the kind or the name "nik"; the nearest is "nic"; the kinds here are nic, nvlink or pcie)"},
        Mistake{
            "unknown_link_name", R"({"topology": "dgx2", "links": {"node0-nic8": {"latency": "1us"}}})",
            R"($.links.node0-nic8: no link has the kind or the name "node0-nic8"; the nearest is "node0-nic0"; the kinds here are nic, nvlink or pcie)"},
        Mistake{"link_without_unit", R"({"topology": "dgx2", "links": {"nic": {"bandwidth": 25}}})",
                R"($.links.nic.bandwidth: expected a bandwidth with its unit such as "25GBps", found 25)"},
        Mistake{"link_of_wrong_unit", R"({"topology": "dgx2", "links": {"nic": {"bandwidth": "25GB"}}})",
                R"($.links.nic.bandwidth: "25GB" has the unknown unit "GB"; write it like "25GBps")"},
        Mistake{"link_of_no_bandwidth", R"({"topology": "dgx2", "links": {"nic": {"bandwidth": "0GBps"}}})",
                R"($.links.nic.bandwidth: a bandwidth must be above zero, like "25GBps")"},
        Mistake{"link_of_negative_latency", R"({"topology": "dgx2", "links": {"nic": {"latency": "-1us"}}})",
                R"($.links.nic.latency: "-1us" is negative; write a quantity like "2us")"},
        Mistake{"link_unchanged", R"({"topology": "dgx2", "links": {"nic": {}}})",
                R"($.links.nic: changes nothing; give bandwidth, latency, efficiency, channels or step_latency)"},
        Mistake{
            "link_with_unknown_key", R"({"topology": "dgx2", "links": {"nic": {"speed": "25GBps"}}})",
            R"($.links.nic.speed: unknown key "speed"; use bandwidth, latency, efficiency, channels or step_latency)"},
        Mistake{"links_as_a_list", R"({"topology": "dgx2", "links": ["nic"]})",
                R"($.links: expected an object, found ["nic"])"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace foreflow::platform::bad_recipes_test
