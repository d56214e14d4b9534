#include <fmt/core.h>

#include <map>
#include <vector>

#include "foreflow/base/escape.h"
#include "foreflow/base/nth.h"
#include "foreflow/platform/draw.h"
#include "platform/views/sketch.h"

namespace foreflow::platform {
namespace {

std::string in_quotes(std::string_view text) { return "\"" + escape::dot(text) + "\""; }

std::string item_line(const Item& item, const char* indent) {
  return fmt::format("{}{} [label={}{}];\n", indent, in_quotes(item.name), in_quotes(short_name(item)),
                     item.device ? ", style=filled, fillcolor=\"#e8f4d4\"" : ", shape=ellipse");
}

}  // namespace

std::string draw_dot(const Platform& platform) {
  const Sketch sketch = platform::sketch(platform);
  std::string dot     = fmt::format(
          "graph {} {{\n  rankdir=BT;\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", "
              "fontsize=9];\n",
          in_quotes(platform.name()));
  std::vector<std::string> order;
  std::map<std::string, std::string> servers;
  for (const Item& item : sketch.items) {
    if (item.node.empty()) {
      dot += item_line(item, "  ");
      continue;
    }
    std::string& lines = servers[item.node];
    if (lines.empty()) order.push_back(item.node);
    lines += item_line(item, "    ");
  }
  for (const std::string& node : order) {
    dot += fmt::format("  subgraph {} {{\n    label={};\n{}  }}\n", in_quotes("cluster_" + node), in_quotes(node),
                       servers.at(node));
  }
  for (const Line& line : sketch.lines) {
    const Item &a = nth(sketch.items, line.a), &b = nth(sketch.items, line.b);
    dot += fmt::format("  {} -- {} [label={}, color=\"{}\", penwidth={:.1f}];\n", in_quotes(a.name), in_quotes(b.name),
                       in_quotes(line.kind.empty() ? line.about : line.kind + " " + line.about), colour(line.kind),
                       stroke_width(line.bandwidth));
  }
  return dot + "}\n";
}

}  // namespace foreflow::platform
