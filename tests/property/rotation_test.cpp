// The rotation of a machine leaves nothing but names different, and what is predicted with one device and link for all
// their images is what is predicted without.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/scenario/run.h"
#include "support/recipe_text.h"

namespace foreflow::platform::rotation_test {
namespace {

// A device after a rotation by one part.
int moved(const Platform& platform, int device) {
  const int all = static_cast<int>(platform.devices().size());
  return (device + all / platform.rotation().parts()) % all;
}

void expect_equal_links(const Platform& platform) {
  const Rotation& rotation = platform.rotation();
  std::vector<int> size(static_cast<size_t>(rotation.orbits()), 0);
  for (int link = 0; link < static_cast<int>(platform.links().size()); ++link) {
    ASSERT_EQ(platform.link_kind(rotation.next(link)), platform.link_kind(link)) << link;
    ASSERT_EQ(rotation.orbit(rotation.next(link)), rotation.orbit(link));
    ASSERT_EQ(rotation.first_link(rotation.orbit(link)), rotation.first_like(link));
    ASSERT_EQ(rotation.is_first(link), rotation.first_like(link) == link);
    ++nth(size, rotation.orbit(link));
  }
  for (const int links : size) ASSERT_EQ(links, rotation.parts());
}

// Of all pairs of devices.
void expect_rotated_routes(const Platform& platform) {
  const int devices = static_cast<int>(platform.devices().size());
  for (int from = 0; from < devices; ++from) {
    ASSERT_EQ(platform.device_kind(moved(platform, from)), platform.device_kind(from));
    for (int to = 0; to < devices; ++to) {
      Route route = platform.route(from, to);
      for (int& link : route.links) link = platform.rotation().next(link);
      const Route next = platform.route(moved(platform, from), moved(platform, to));
      ASSERT_EQ(next.links, route.links) << from << " to " << to;
      ASSERT_EQ(next.latency, route.latency);
    }
  }
}

// Returns the number of parts.
int checked_parts(const std::string& words) {
  SCOPED_TRACE(words);
  const Platform platform = test::machine(words);
  expect_equal_links(platform);
  if (platform.rotation().parts() > 1) expect_rotated_routes(platform);
  return platform.rotation().parts();
}

TEST(Rotation, LeavesNothingButNamesDifferentOnEveryTopologyAndFabric) {
  int rotated = 0;
  for (const TopologyDef& topology : topologies()) {
    for (const FabricDef& fabric : fabrics()) {
      for (const char* rule : {"dmodk", "ecmp", "hash"}) {
        rotated += checked_parts(fmt::format(R"({{"topology": "{}", "nodes": 4, "fabric": "{}", "ecmp": "{}"}})",
                                             topology.name, fabric.name, rule)) > 1
                       ? 1
                       : 0;
      }
    }
  }
  EXPECT_GT(rotated, 100);
}

TEST(Rotation, IsByServersAroundOneSwitchAndByLeavesOrPodsOfATree) {
  EXPECT_EQ(checked_parts(R"({"topology": "dgx_h100", "nodes": 6})"), 6);
  EXPECT_EQ(checked_parts(R"({"topology": "dgx_h100", "nodes": 5, "fabric": "rail_only"})"), 5);
  EXPECT_EQ(checked_parts(R"({"topology": "dgx_h100", "nodes": 8, "fabric": "rail_optimized", "pod_nodes": 2})"), 4);
  EXPECT_EQ(checked_parts(R"({"topology": "dgx_a100", "nodes": 8, "fabric": "fat_tree2", "leaf_ports": 16})"), 4);
  EXPECT_EQ(checked_parts(R"({"topology": "p3_8xlarge", "nodes": 16, "fabric": "fat_tree3", "leaf_ports": 4,
                              "pod_leaves": 2})"),
            2);
  EXPECT_EQ(checked_parts(R"({"topology": "p3_8xlarge", "nodes": 16, "fabric": "fat_tree3", "leaf_ports": 4,
                              "pod_leaves": 2, "routing": "adaptive"})"),
            2);
  EXPECT_EQ(checked_parts(R"({"topology": "p3_8xlarge", "nodes": 32, "fabric": "fat_tree3", "leaf_ports": 4,
                              "pod_leaves": 2, "oversubscription": 2})"),
            4);
}

TEST(Rotation, IsByMorePartsAtOnceWhereTheRuleOfPathsNeedsIt) {
  // Four ports of a leaf, three ways up: the same ways come again after three leaves.
  EXPECT_EQ(checked_parts(R"({"topology": "dgx1", "nodes": 12, "fabric": "fat_tree2", "leaf_ports": 4,
                              "oversubscription": 1.4})"),
            4);
}

TEST(Rotation, IsNotKnownWherePartsDiffer) {
  for (const char* words : {
           R"({"topology": "dgx_h100", "nodes": 5, "fabric": "rail_optimized", "pod_nodes": 2})",
           R"({"topology": "dgx_h100", "nodes": 4, "links": {"node1-nic1": {"latency": "1us"}}})",
           R"({"topology": "dgx_h100", "nodes": 4, "ecmp": "hash"})",
           R"({"topology": "dgx_h100", "nodes": 4, "fabric": "torus2d"})",
           R"({"parts": [{"topology": "dgx_a100", "nodes": 2}, {"topology": "dgx_h100", "nodes": 2}]})",
       })
    EXPECT_EQ(checked_parts(words), 1) << words;
}

struct Case {
  const char* machine;  // without its end
  const char* strategy;
};

report::Summary predicted(const Case& one, const std::string& end) {
  const std::string text =
      std::string(R"({"workload": {"model": "llama", "layers": 8, "hidden": 256, "heads": 8, "feed_forward": 512,
                      "sequence": 128, "vocabulary": 1024, "dtype": "bf16", "mode": "training", "optimizer": "adam"},
                      "platform": {)") +
      one.machine + end + R"(}, "strategy": {)" + one.strategy + R"(}, "engine": "simgrid"})";
  const scenario::Scenario read = scenario::load(parse_json(text, "rotation.json"), "rotation.json");
  return scenario::run(read, scenario::load_platform(read.platform)).summary;
}

// A cable that has by its name what it has anyway makes a machine of whose parts nothing is known.
TEST(Rotation, ChangesNoPrediction) {
  constexpr const char* kStar = R"("topology": "dgx_h100", "nodes": 16)";
  constexpr const char* kPods = R"("topology": "dgx_h100", "nodes": 16, "fabric": "rail_optimized", "pod_nodes": 4)";
  constexpr const char* kTree = R"("topology": "p3_8xlarge", "nodes": 32, "fabric": "fat_tree3", "leaf_ports": 4,
                                   "pod_leaves": 2)";
  for (const Case& one : {
           Case{kStar, R"("dp": 32, "tp": 2, "pp": 2, "zero": 1, "global_batch": 256, "microbatch_size": 1)"},
           Case{kStar, R"("dp": 128, "zero": 3, "global_batch": 256, "microbatch_size": 1)"},
           Case{kPods, R"("dp": 16, "tp": 4, "pp": 2, "global_batch": 128, "overlap_gradients": true)"},
           Case{kPods, R"("dp": 16, "tp": 8, "zero": 2, "sequence_parallel": true, "global_batch": 64)"},
           Case{kPods, R"("dp": 16, "tp": 8, "global_batch": 64}, "collective": {"all_reduce": "tree")"},
           Case{kStar, R"("dp": 64, "tp": 2, "global_batch": 64}, "collective": {"all_reduce": "halving_doubling")"},
           Case{kTree, R"("dp": 64, "tp": 2, "global_batch": 64}, "collective": {"all_reduce": "hierarchical")"},
           Case{kStar, R"("dp": 32, "tp": 4, "global_batch": 64}, "placement": {"order": "tp-dp-pp")"},
           Case{kStar, R"("dp": 32, "tp": 4, "global_batch": 64}, "placement": {"policy": "random", "seed": 2)"},
           Case{kTree, R"("dp": 32, "tp": 2, "pp": 2, "schedule": "zb_h1", "global_batch": 256)"},
           Case{kTree, R"("dp": 64, "cp": 2, "zero": 1, "global_batch": 64)"},
           Case{kPods, R"("dp": 32, "tp": 2, "pp": 2, "global_batch": 128}, "network": {"coupling": "credit")"},
           Case{kTree, R"("dp": 4, "tp": 4, "pp": 8, "global_batch": 256, "microbatch_size": 1)"},
       }) {
    SCOPED_TRACE(std::string(one.machine) + one.strategy);
    const report::Summary with    = predicted(one, "");
    const report::Summary without = predicted(one, R"(, "links": {"node0-gpu0-nvlink": {"efficiency": 1}})");
    EXPECT_EQ(with.iteration_time, without.iteration_time);
    EXPECT_EQ(with.events.executed, without.events.executed);
    ASSERT_EQ(with.devices.size(), without.devices.size());
    for (size_t i = 0; i < with.devices.size(); ++i) {
      EXPECT_EQ(with.devices[i].peak_memory, without.devices[i].peak_memory);
      EXPECT_EQ(with.devices[i].busy, without.devices[i].busy);
      EXPECT_EQ(with.devices[i].members.size(), without.devices[i].members.size());
    }
    ASSERT_EQ(with.links.size(), without.links.size());
    for (size_t i = 0; i < with.links.size(); ++i) {
      EXPECT_EQ(with.links[i].members, without.links[i].members);
      EXPECT_NEAR(with.links[i].bytes / without.links[i].bytes, 1, 1e-12);
    }
  }
}

}  // namespace
}  // namespace foreflow::platform::rotation_test
