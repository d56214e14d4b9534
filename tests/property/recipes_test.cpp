// What holds for every topology on every fabric.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "foreflow/base/nth.h"
#include "foreflow/platform/describe.h"
#include "support/recipe_text.h"

namespace foreflow::platform::recipes_test {
namespace {

class EveryCombination : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  static Platform with(int nodes) {
    const auto& [topology, fabric] = GetParam();
    return test::machine(fmt::format(R"({{"topology": "{}", "nodes": {}, "fabric": "{}"}})", topology, nodes, fabric));
  }
};

// From some devices to all: far nodes are joined by NICs, near ones are not, and no way crosses a link twice.
TEST_P(EveryCombination, RoutesEveryPair) {
  for (const int nodes : {1, 2, 5}) {
    const Platform platform = with(nodes);
    const int count = static_cast<int>(platform.devices().size()), step = std::max(1, count / 7);
    for (int from = 0; from < count; from += step) {
      for (int to = 0; to < count; ++to) {
        if (from == to) continue;
        const Route there = platform.route(from, to);
        ASSERT_FALSE(there.links.empty()) << from << " " << to;
        int nics = 0;
        for (const int link : there.links) {
          const std::string& kind = nth(platform.links(), link).kind;
          nics += kind == "nic" || kind == "memory" ? 1 : 0;
          EXPECT_EQ(std::count(there.links.begin(), there.links.end(), link), 1);
        }
        const bool near = nth(platform.devices(), from).node == nth(platform.devices(), to).node;
        EXPECT_EQ(nics, near ? 0 : 2) << from << " " << to;
        EXPECT_EQ(there.links.size(), platform.route(to, from).links.size());
      }
    }
  }
}

TEST_P(EveryCombination, IsTheSameFromTheSameWords) {
  const auto& [topology, fabric] = GetParam();
  const std::string words        = fmt::format(R"({{"topology": "{}", "nodes": 3, "fabric": "{}"}})", topology, fabric);
  EXPECT_EQ(write_xml(test::recipe(words)), write_xml(test::recipe(words)));
}

// As DijkstraCache, a file is routed by SimGrid, which reads the same hosts and links.
TEST_P(EveryCombination, IsReadBySimgridToo) {
  const auto& [topology, fabric] = GetParam();
  const std::string size         = topology == "gb200_nvl72" ? R"(, "gpus_per_node": 4, "nics_per_node": 4)" : "";
  const auto recipe =
      test::recipe(fmt::format(R"({{"topology": "{}", "nodes": 2, "fabric": "{}"{}}})", topology, fabric, size));
  std::string xml        = write_xml(recipe);
  const std::string ours = "\"Dijkstra\"";
  xml.replace(xml.find(ours), ours.size(), "\"DijkstraCache\"");
  const Platform routed = make(recipe), read = load(xml, "simgrid");
  ASSERT_EQ(read.devices().size(), routed.devices().size());
  ASSERT_EQ(read.links().size(), routed.links().size());
  for (size_t i = 0; i < read.links().size(); ++i) {
    EXPECT_EQ(read.links()[i].name, routed.links()[i].name);
    EXPECT_DOUBLE_EQ(read.links()[i].bandwidth.value(), routed.links()[i].bandwidth.value());
    EXPECT_DOUBLE_EQ(read.links()[i].latency.value(), routed.links()[i].latency.value());
  }
  EXPECT_FALSE(read.route(0, static_cast<int>(read.devices().size()) - 1).links.empty());
}

INSTANTIATE_TEST_SUITE_P(Recipes, EveryCombination,
                         testing::Combine(testing::ValuesIn(topologies().names()),
                                          testing::ValuesIn(fabrics().names())),
                         [](const auto& row) { return std::get<0>(row.param) + "_on_" + std::get<1>(row.param); });

}  // namespace
}  // namespace foreflow::platform::recipes_test
