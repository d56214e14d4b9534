#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "foreflow/base/error.h"
#include "platform/blueprint.h"
#include "platform/link_property.h"
#include "platform/link_text.h"
#include "platform/link_units.h"

namespace foreflow::platform {
namespace {

constexpr Seconds kSwitchLatency = 150_ns;
constexpr const char* kSwitchSource =
    "fabric latency: 150 ns for each further switch, the bound given for Quantum-2 (router-switch.com, QM9700 FAQ)";

// The NIC of a GPU is the nearest one; of several equally near ones the first.
int rail_of(int gpu, int gpus, int nics) { return nics > gpus ? (gpu * nics + gpus - 1) / gpus : gpu * nics / gpus; }

std::string counted(int count, const char* noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

class Composer {
 public:
  explicit Composer(const Recipe& recipe) : recipe_(recipe) {}

  Blueprint compose() {
    std::set<std::string> said;
    for (const Part& part : recipe_.parts) add_part(part, said);
    add_fabric();
    blueprint_.props = {{"ecmp", recipe_.ecmp}};
    if (recipe_.sharp) blueprint_.props.emplace_back("sharp", "yes");
    change_links();
    return std::move(blueprint_);
  }

 private:
  void add_part(const Part& part, std::set<std::string>& said) {
    const Node node = build_node(part);
    comment(fmt::format("{}: {}.", node.title, counted(part.nodes, "node")));
    for (const auto* sources : {&node.gpu.sources, &node.sources}) {
      for (const std::string& source : *sources) {
        if (said.insert(source).second) comment("  " + source);
      }
    }
    blueprint_.sheets.push_back(node.gpu);
    for (int i = 0; i < part.nodes; ++i) add_node(node);
  }

  void add_node(const Node& node) {
    const int first        = static_cast<int>(blueprint_.vertices.size());
    const std::string name = fmt::format("node{}", nodes_++);
    const int sheet        = static_cast<int>(blueprint_.sheets.size()) - 1;
    const int nics         = static_cast<int>(node.nics.size());
    for (int i = 0; i < node.gpus; ++i) {
      blueprint_.vertices.push_back(fmt::format("{}-gpu{}", name, i));
      blueprint_.hosts.push_back({first + i, name, sheet, rail_of(i, node.gpus, nics)});
    }
    for (const std::string& router : node.switches) add_router(fmt::format("{}-{}", name, router));
    for (const Cable& cable : node.cables) {
      Cable& copy = blueprint_.cables.emplace_back(
          Cable{fmt::format("{}-{}", name, cable.name), cable.port, first + cable.from, first + cable.to});
      if (cable.port.kind != "nvlink") continue;
      if (const int generation = node.gpu.nvlink_generation; generation > 0)
        copy.props.emplace_back("nvlink_generation", to_text(generation));
      if (node.nvls) copy.props.emplace_back("nvls", "yes");
    }
    for (const Nic& nic : node.nics) nics_.push_back({name + "-" + nic.name, nic.port, first + nic.vertex});
  }

  void add_fabric() {
    const Outlets outlets = outlets_of(recipe_.parts);
    Fabric fabric         = recipe_.fabric->build(recipe_.settings, outlets);
    FOREFLOW_CHECK(fabric.plugs.size() == nics_.size(), "a fabric has a place for every NIC");
    comment(fmt::format("Fabric {}: {}.", recipe_.fabric->name, counted(static_cast<int>(nics_.size()), "port")));
    for (const std::string& note : fabric.notes) comment("  " + note);
    if (!fabric.cables.empty()) comment(std::string("  ") + kSwitchSource);
    const int first = static_cast<int>(blueprint_.vertices.size());
    for (const std::string& router : fabric.switches) add_router(router);
    for (size_t i = 0; i < nics_.size(); ++i) {
      // Nodes that are joined by several switches share no memory.
      if (!fabric.cables.empty()) nics_[i].port.kind = "nic";
      blueprint_.cables.push_back({nics_[i].name, nics_[i].port, nics_[i].vertex, first + fabric.plugs[i]});
    }
    for (Cable& cable : fabric.cables) {
      cable.from += first;
      cable.to += first;
      blueprint_.cables.push_back(std::move(cable));
    }
  }

  void change_links() {
    for (Cable& cable : blueprint_.cables) cable.changed = numbers_of(recipe_.links, cable.port.kind, cable.name);
    for (const auto& [key, numbers] : recipe_.links) {
      for (const LinkProperty& property : link_property_rows()) {
        if (const auto text = property.text(numbers))
          comment(fmt::format("Changed: links.{}.{} {}.", key, property.key.name, *text));
      }
    }
  }

  void add_router(std::string name) {
    blueprint_.routers.push_back(static_cast<int>(blueprint_.vertices.size()));
    blueprint_.vertices.push_back(std::move(name));
  }

  void comment(std::string line) { blueprint_.comment.push_back(std::move(line)); }

  const Recipe& recipe_;
  Blueprint blueprint_;
  std::vector<Nic> nics_;
  int nodes_ = 0;
};

}  // namespace

Node build_node(const Part& part) { return part.topology->build(part.gpus, part.nics); }

Outlets outlets_of(const std::vector<Part>& parts) {
  Outlets outlets;
  BytesPerSecond widest;
  for (const Part& part : parts) {
    const Node node = build_node(part);
    const int nics  = static_cast<int>(node.nics.size());
    for (int i = 0; i < part.nodes; ++i, ++outlets.nodes) {
      for (int rail = 0; rail < nics; ++rail) outlets.all.push_back({outlets.nodes, rail});
    }
    outlets.most_of_node           = std::max(outlets.most_of_node, nics);
    const BytesPerSecond bandwidth = node.nics.front().port.bandwidth;
    if (bandwidth <= widest) continue;
    widest        = bandwidth;
    outlets.cable = {"fabric", bandwidth, kSwitchLatency};
  }
  return outlets;
}

Blueprint compose(const Recipe& recipe) { return Composer(recipe).compose(); }

}  // namespace foreflow::platform
