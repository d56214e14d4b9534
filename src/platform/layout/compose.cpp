#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/platform/link_kinds.h"
#include "platform/layout/layout.h"
#include "platform/link_property.h"
#include "platform/link_text.h"
#include "platform/link_units.h"

namespace foreflow::platform {
namespace {

constexpr Seconds kSwitchLatency = 150_ns;
constexpr const char* kSwitchSource =
    "fabric latency: 150 ns for each further switch, the bound given for Quantum-2 (router-switch.com, QM9700 FAQ)";

std::string counted(int count, const char* noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

class Composer {
 public:
  explicit Composer(const Layout& layout) : layout_(layout), recipe_(layout.recipe()) {}

  Blueprint compose() {
    std::set<std::string> said;
    for (const Block& block : layout_.blocks()) add_block(block, said);
    add_fabric();
    blueprint_.props = {{"ecmp", recipe_.ecmp}};
    if (layout_.fabric().relays) blueprint_.props.emplace_back("relays", "yes");
    if (recipe_.sharp) blueprint_.props.emplace_back("sharp", "yes");
    for (int v = 0; v < layout_.vertices(); ++v) {
      blueprint_.vertices.push_back(layout_.vertex_name(v));
      if (v >= layout_.devices()) blueprint_.routers.push_back(v);
    }
    for (int c = 0; c < layout_.cables(); ++c) add_cable(c);
    say_changes();
    return std::move(blueprint_);
  }

 private:
  void add_block(const Block& block, std::set<std::string>& said) {
    const Node& node = block.node;
    comment(fmt::format("{}: {}.", node.title, counted(block.nodes, "node")));
    for (const auto* sources : {&node.gpu.sources, &node.sources}) {
      for (const std::string& source : *sources) {
        if (said.insert(source).second) comment("  " + source);
      }
    }
    const int sheet = static_cast<int>(blueprint_.sheets.size());
    blueprint_.sheets.push_back({node.gpu, node.cpu});
    for (int i = 0; i < block.nodes * node.gpus; ++i) {
      const int device = block.first_device + i;
      blueprint_.hosts.push_back(
          {device, fmt::format("node{}", block.first_node + i / node.gpus), sheet, layout_.rail(device)});
    }
  }

  void add_fabric() {
    const Fabric& fabric = layout_.fabric();
    comment(
        fmt::format("Fabric {}: {}.", recipe_.fabric->name, counted(static_cast<int>(fabric.plugs.size()), "port")));
    for (const std::string& note : fabric.notes) comment("  " + note);
    if (!fabric.trunks.empty()) comment(std::string("  ") + kSwitchSource);
  }

  void add_cable(int number) {
    const auto [from, to] = layout_.ends(number);
    const Port& port      = layout_.port(number);
    Cable& cable          = blueprint_.cables.emplace_back(Cable{layout_.cable_name(number), port, from, to});
    cable.changed         = numbers_of(recipe_.links, port.kind, cable.name);
    if (!is_nvlink(port.kind)) return;
    const Link& link = nth(layout_.link_kinds(), layout_.link_kind(number));
    if (link.nvlink_generation > 0)
      cable.props.emplace_back("nvlink_generation", std::to_string(link.nvlink_generation));
    if (link.in_switch) cable.props.emplace_back("nvls", "yes");
  }

  void say_changes() {
    for (const auto& [key, numbers] : recipe_.links) {
      for (const LinkProperty& property : link_properties()) {
        const std::string& name = property.key.name;
        if (numbers.stated.contains(name))
          comment(fmt::format("Changed: links.{}.{} {}.", key, name, property.text(numbers.values)));
      }
    }
  }

  void comment(std::string line) { blueprint_.comment.push_back(std::move(line)); }

  const Layout& layout_;
  const Recipe& recipe_;
  Blueprint blueprint_;
};

}  // namespace

Node build_node(const Part& part) {
  Node node = part.topology->build(part.gpus, part.nics);
  if (!part.device.empty()) node.gpu = changed(part.device, std::move(node.gpu));
  if (part.device.cpu) node.cpu = *part.device.cpu;
  if (part.network == nullptr) return node;
  for (Nic& nic : node.nics) nic.port.bandwidth = part.network->port;
  node.sources.push_back(fmt::format("network {}: {}", part.network->name, part.network->doc));
  return node;
}

Outlets outlets_of(const std::vector<Part>& parts, const std::string& routing) {
  Outlets outlets;
  outlets.routing = routing;
  BytesPerSecond widest;
  for (const Part& part : parts) {
    const Node node = build_node(part);
    const int nics  = static_cast<int>(node.nics.size());
    for (int i = 0; i < part.nodes; ++i, ++outlets.nodes) {
      for (int rail = 0; rail < nics; ++rail) outlets.all.push_back({outlets.nodes, rail});
    }
    outlets.most_of_node           = std::max(outlets.most_of_node, nics);
    outlets.torus_cable            = std::max(outlets.torus_cable, node.torus_cable);
    const BytesPerSecond bandwidth = node.nics.front().port.bandwidth;
    if (bandwidth <= widest) continue;
    widest        = bandwidth;
    outlets.cable = {"fabric", bandwidth, kSwitchLatency};
  }
  return outlets;
}

Blueprint compose(const Recipe& recipe) { return Composer(Layout(recipe)).compose(); }

}  // namespace foreflow::platform
