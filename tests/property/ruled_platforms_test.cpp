// A machine by rule is what its SimGrid XML declares: every device, link and edge, and the routes between devices.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "foreflow/base/nth.h"
#include "platform/kinds.h"
#include "support/recipe_text.h"

namespace foreflow::platform::ruled_platforms_test {
namespace {

template <class T>
T without_position(T item) {
  clear_position(item);
  return item;
}

template <class T>
void expect_equal(const List<T>& ruled, const List<T>& listed) {
  ASSERT_EQ(ruled.size(), listed.size());
  for (size_t i = 0; i < ruled.size(); ++i) {
    ASSERT_TRUE(ruled[i] == listed[i]) << listed[i].name;
    const T alone = without_position(listed[i]);
    ASSERT_TRUE(without_position(nth(ruled.kinds(), ruled.kind(i))) == alone) << listed[i].name;
    ASSERT_TRUE(without_position(nth(listed.kinds(), listed.kind(i))) == alone) << listed[i].name;
  }
}

void expect_equal(const Graph& ruled, const Graph& listed) {
  EXPECT_EQ(ruled.ecmp, listed.ecmp);
  ASSERT_EQ(ruled.vertices.size(), listed.vertices.size());
  for (size_t v = 0; v < ruled.vertices.size(); ++v) {
    ASSERT_EQ(ruled.vertices[v].name, listed.vertices[v].name);
    ASSERT_EQ(ruled.vertices[v].device, listed.vertices[v].device);
  }
  ASSERT_EQ(ruled.edges.size(), listed.edges.size());
  for (size_t e = 0; e < ruled.edges.size(); ++e) {
    const auto ends = [](const Edge& edge) { return std::tuple(edge.a, edge.b, edge.forth, edge.back); };
    ASSERT_EQ(ends(ruled.edges[e]), ends(listed.edges[e]));
  }
}

void expect_equal_routes(const Platform& ruled, const Platform& listed) {
  std::mt19937 rng(7);
  std::uniform_int_distribution<int> any(0, static_cast<int>(listed.devices().size()) - 1);
  for (int i = 0; i < 300; ++i) {
    const int from = any(rng), to = any(rng);
    const Route one = ruled.route(from, to), other = listed.route(from, to);
    ASSERT_EQ(one.links, other.links) << from << " " << to;
    ASSERT_EQ(one.latency, other.latency) << from << " " << to;
  }
}

void expect_found_by_name(const Platform& ruled, const Platform& listed) {
  for (size_t i = 0; i < listed.devices().size(); ++i) {
    ASSERT_EQ(ruled.find_device(listed.devices()[i].name), static_cast<int>(i));
    ASSERT_EQ(listed.find_device(listed.devices()[i].name), static_cast<int>(i));
    ASSERT_EQ(ruled.node(static_cast<int>(i)), listed.node(static_cast<int>(i)));
  }
  for (size_t i = 0; i < listed.links().size(); ++i)
    ASSERT_EQ(ruled.find_link(listed.links()[i].name), static_cast<int>(i));
  for (const char* none : {"", "node", "node0", "node00-gpu0", "node0-gpu", "node0-gpu00", "node0-gpu+1", "node99-gpu0",
                           "node0-gpu99", "gpu0", "node-1-gpu0", "node0-gpu0 "}) {
    EXPECT_EQ(ruled.find_device(none), std::nullopt) << none;
    EXPECT_EQ(listed.find_device(none), std::nullopt) << none;
    EXPECT_EQ(ruled.find_link(none), std::nullopt) << none;
  }
}

void expect_as_written(const std::string& words) {
  SCOPED_TRACE(words);
  const Recipe recipe   = test::recipe(words);
  const Platform ruled  = make(recipe);
  const Platform listed = load(write_xml(recipe), name_of(recipe));
  EXPECT_EQ(ruled.name(), listed.name());
  expect_equal_routes(ruled, listed);
  expect_found_by_name(ruled, listed);
  expect_equal(ruled.devices(), listed.devices());
  expect_equal(ruled.links(), listed.links());
  expect_equal(*ruled.graph(), *listed.graph());
}

TEST(RuledPlatforms, EveryTopologyOnEveryFabricIsWhatItsFileDeclares) {
  for (const TopologyDef& topology : topologies()) {
    for (const FabricDef& fabric : fabrics()) {
      for (const int nodes : {1, 3, 7}) {
        expect_as_written(
            fmt::format(R"({{"topology": "{}", "nodes": {}, "fabric": "{}"}})", topology.name, nodes, fabric.name));
      }
    }
  }
}

TEST(RuledPlatforms, PartsCutsAndSettings) {
  for (const char* words : {
           R"({"parts": [{"topology": "dgx_a100", "nodes": 2}, {"topology": "dgx1", "nodes": 3}], "sharp": true})",
           R"({"parts": [{"topology": "localhost", "nodes": 2}, {"topology": "dgx1", "nodes": 1},
               {"topology": "localhost", "nodes": 1}], "fabric": "fat_tree2", "leaf_ports": 2})",
           R"({"parts": [{"topology": "localhost", "nodes": 2}, {"topology": "p5", "nodes": 1}]})",
           R"({"topology": "dgx_h100", "nodes": 3, "nvlink_domain": 4, "fabric": "rail_optimized", "pod_nodes": 2})",
           R"({"topology": "dgx_h100", "nodes": 5, "gpus_per_node": 6, "nics_per_node": 9, "ecmp": "hash",
               "fabric": "fat_tree3", "leaf_ports": 3, "oversubscription": 1.5})",
           R"({"topology": "dgx_a100", "nodes": 40, "fabric": "dragonfly", "ecmp": "hash"})",
           R"({"topology": "dgx_h100", "nodes": 96, "fabric": "fat_tree3", "oversubscription": 2})",
       })
    expect_as_written(words);
}

TEST(RuledPlatforms, ChangedLinks) {
  for (const char* words : {
           R"({"topology": "dgx_a100", "nodes": 3, "links": {"nic": {"bandwidth": "7GBps", "efficiency": 0.7}}})",
           R"({"topology": "dgx_a100", "nodes": 3, "fabric": "fat_tree2", "leaf_ports": 4, "links":
               {"nvlink": {"latency": "3us"}, "node1-gpu3-nvlink": {"latency": "9us", "channels": 3},
                "node2-nic1": {"latency": "1us"}, "leaf0-spine1": {"latency": "2us"}, "fabric": {"efficiency": 0.5}}})",
           R"({"topology": "localhost", "nodes": 4, "links": {"node2-memory": {"latency": "5us"}}})",
       })
    expect_as_written(words);
}

}  // namespace
}  // namespace foreflow::platform::ruled_platforms_test
