#include "foreflow/platform/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <pugixml.hpp>
#include <string>

#include "foreflow/platform/load.h"
#include "platform/views/sketch.h"
#include "support/graph_text.h"

namespace foreflow::platform::draw_test {
namespace {

using test::GraphText;

// Two servers of two GPUs with an NVSwitch and a PCIe switch, on one leaf.
Platform two_servers() {
  GraphText text;
  for (const std::string node : {"m", "n"}) text.device(node + "-a", node).device(node + "-b", node);
  for (const std::string node : {"m", "n"}) text.router(node + "-nvswitch").router(node + "-pcie");
  text.router("leaf").router("spine");
  for (const std::string node : {"m", "n"}) {
    for (const std::string gpu : {"-a", "-b"})
      text.cable(node + gpu, node + "-nvswitch", "nvlink").cable(node + gpu, node + "-pcie", "pcie");
    text.cable(node + "-pcie", "leaf", "nic");
  }
  text.cable("leaf", "spine", "fabric");
  return load(text.xml(), "two <servers> & \"more\"");
}

const Item& item(const Sketch& sketch, const std::string& name) {
  return *std::find_if(sketch.items.begin(), sketch.items.end(), [&](const Item& row) { return row.name == name; });
}

TEST(Sketch, PutsSwitchesOfServersNextToThemAndSharedOnesAbove) {
  const Sketch sketch = platform::sketch(two_servers());
  EXPECT_EQ(item(sketch, "m-a").row, 0);
  EXPECT_EQ(item(sketch, "m-nvswitch").row, -1);
  EXPECT_EQ(item(sketch, "m-pcie").row, 1);
  EXPECT_EQ(item(sketch, "m-pcie").node, "m");
  EXPECT_EQ(short_name(item(sketch, "m-pcie")), "pcie");
  EXPECT_EQ(item(sketch, "leaf").row, 2);
  EXPECT_EQ(item(sketch, "leaf").node, "");
  EXPECT_EQ(item(sketch, "spine").row, 3);
  EXPECT_EQ(sketch.lines.size(), 11u);
}

TEST(DrawDot, GroupsByServerAndEscapesNames) {
  const std::string dot = draw_dot(two_servers());
  EXPECT_TRUE(dot.starts_with("graph \"two <servers> & \\\"more\\\"\" {\n"));
  EXPECT_NE(dot.find("  subgraph \"cluster_m\" {\n    label=\"m\";\n    \"m-a\" [label=\"a\", style=filled"),
            std::string::npos);
  EXPECT_NE(dot.find("  \"n-pcie\" -- \"leaf\" [label=\"nic 25 GB/s, 1 us\", color=\"#2a6fbb\", penwidth=1.7];\n"),
            std::string::npos);
}

TEST(DrawSvg, IsXmlWithABoxForEveryItemAndAPathForEveryCable) {
  const Platform platform = two_servers();
  pugi::xml_document svg;
  ASSERT_TRUE(svg.load_string(draw_svg(platform).c_str()));
  const auto count = [&](const char* name) {
    const auto children = svg.child("svg").children(name);
    return std::distance(children.begin(), children.end());
  };
  EXPECT_EQ(count("g"), 4 + 4 + 2);
  EXPECT_EQ(count("path"), 11);
  EXPECT_EQ(count("line"), 4);  // kinds of cables
  EXPECT_EQ(svg.child("svg").child("text").child_value(), platform.name());
}

// No two boxes on each other, and all of them on the page.
TEST(DrawSvg, KeepsBoxesApart) {
  pugi::xml_document svg;
  ASSERT_TRUE(svg.load_string(draw_svg(two_servers()).c_str()));
  struct Box {
    double x, y;
  };
  std::vector<Box> boxes;
  const pugi::xml_node page = svg.child("svg");
  for (const pugi::xml_node& group : page.children("g")) {
    const pugi::xml_node rect = group.child("rect");
    const Box box             = {rect.attribute("x").as_double(), rect.attribute("y").as_double()};
    const double width = rect.attribute("width").as_double(), height = rect.attribute("height").as_double();
    EXPECT_GT(box.x, 0);
    EXPECT_LT(box.x + width, page.attribute("width").as_double());
    EXPECT_LT(box.y + height, page.attribute("height").as_double());
    for (const Box& other : boxes)
      EXPECT_TRUE(std::abs(box.x - other.x) >= width || std::abs(box.y - other.y) >= height);
    boxes.push_back(box);
  }
  EXPECT_EQ(boxes.size(), 10u);
}

TEST(Sketch, DrawsCablesAsBoxesWhereOnlyRoutesAreKnown) {
  const Device a                = {.name             = "a",
                                   .kind             = "K",
                                   .node             = "n",
                                   .memory           = Bytes(1),
                                   .memory_bandwidth = BytesPerSecond(1),
                                   .peaks            = {},
                                   .launch           = Seconds(0)};
  Device b                      = a;
  b.name                        = "b";
  const std::vector<Link> links = {{"x_UP", "nic", BytesPerSecond(1e9), Seconds(0)},
                                   {"x_DOWN", "nic", BytesPerSecond(1e9), Seconds(0)},
                                   {"bus", "fabric", BytesPerSecond(1e9), Seconds(0)}};
  const Platform platform("p", {a, b}, links, {{}, {{0, 2}, Seconds(0)}, {{2, 1}, Seconds(0)}, {}});
  const Sketch sketch = platform::sketch(platform);
  ASSERT_EQ(sketch.items.size(), 4u);
  EXPECT_EQ(sketch.items[2].name, "x");
  EXPECT_EQ(sketch.items[3].name, "bus");
  EXPECT_EQ(sketch.lines.size(), 3u);  // a - x, x - bus, bus - b
}

}  // namespace
}  // namespace foreflow::platform::draw_test
