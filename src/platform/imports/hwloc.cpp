// hwloc's XML, as `lstopo --of xml` writes it: packages, bridges, and below them PCI devices, which the operating
// system may know by name. (hwloc 1.11 and 2.x; https://www.open-mpi.org/projects/hwloc/doc/)
#include <fmt/core.h>

#include <algorithm>
#include <pugixml.hpp>

#include "foreflow/base/text.h"
#include "platform/files/xml_shape.h"
#include "platform/imports/hwloc_links.h"
#include "platform/imports/imports.h"
#include "platform/imports/pcie_tree.h"
#include "platform/nodes/ports.h"

namespace foreflow::platform::imports {
namespace {

constexpr int kDeepest = 64;  // objects in objects

// A GPU or a card with the objects that it is in, the outermost first.
struct PciPart {
  std::string name, model;
  double speed = 0;      // GB/s of its PCIe link; 0: not said
  bool fast    = false;  // a card with RDMA
  std::vector<pugi::xml_node> above;
  std::vector<std::string> numbers;  // gp_index of the device, and of what the operating system knows it as
};

struct Found {
  std::vector<PciPart> gpus, cards;
  int packages = 0;
};

std::string info_of(const pugi::xml_node& object, std::string_view name) {
  for (const pugi::xml_node& info : object.children("info")) {
    if (info.attribute("name").value() == name) return info.attribute("value").value();
  }
  return "";
}

bool has_class(const pugi::xml_node& device, std::initializer_list<std::string_view> classes) {
  const std::string_view type = device.attribute("pci_type").value();
  return std::any_of(classes.begin(), classes.end(), [&](std::string_view one) { return type.starts_with(one); });
}

// Screens of a management controller are no GPUs.
bool is_accelerator(const pugi::xml_node& device) {
  const std::string_view type = device.attribute("pci_type").value();
  const bool maker = type.find("[10de:") != std::string_view::npos || type.find("[1002:") != std::string_view::npos;
  return has_class(device, {"12"}) || (maker && has_class(device, {"03"}));
}

PciPart part_of(const pugi::xml_node& device, const std::vector<pugi::xml_node>& above) {
  PciPart part{device.attribute("pci_busid").value(), info_of(device, "GPUModel"), 0, false, above, {}};
  part.speed             = parse_number<double>(device.attribute("pci_link_speed").as_string("0")).value_or(0);
  const auto note_number = [&](const pugi::xml_node& object) {
    if (const pugi::xml_attribute number = object.attribute("gp_index")) part.numbers.emplace_back(number.value());
  };
  note_number(device);
  for (const pugi::xml_node& child : device.children("object")) {
    if (std::string_view(child.attribute("type").value()) != "OSDev") continue;
    note_number(child);
    const std::string_view kind = child.attribute("osdev_type").value();
    const bool rdma             = kind == "3" || std::string_view(child.attribute("subtype").value()) == "OpenFabrics";
    if (part.model.empty()) part.model = info_of(child, "GPUModel");
    if (!part.fast) part.name = child.attribute("name").value();
    part.fast = part.fast || rdma;
  }
  return part;
}

void collect(const pugi::xml_node& object, std::vector<pugi::xml_node>& above, Found& found, const XmlSource& source) {
  if (above.size() > kDeepest) source.fail(object, "objects are in objects too deep; give what lstopo writes");
  const std::string_view type = object.attribute("type").value();
  if (type == "Package" || type == "Socket") ++found.packages;
  if (type == "PCIDev") {
    if (is_accelerator(object)) found.gpus.push_back(part_of(object, above));
    if (has_class(object, {"02"})) found.cards.push_back(part_of(object, above));
    return;
  }
  above.push_back(object);
  for (const pugi::xml_node& child : object.children("object")) collect(child, above, found, source);
  above.pop_back();
}

Nearness between(const PciPart& a, const PciPart& b, int packages) {
  size_t common = 0;
  while (common < a.above.size() && common < b.above.size() && a.above[common] == b.above[common]) ++common;
  if (common == 0) return Nearness::system;
  const pugi::xml_node joint  = a.above[common - 1];
  const std::string_view type = joint.attribute("type").value();
  if (type == "Machine") return packages > 1 ? Nearness::system : Nearness::node;
  if (type != "Bridge") return Nearness::node;
  if (std::string_view(joint.attribute("bridge_type").value()).starts_with("0")) return Nearness::host_bridge;
  return common == a.above.size() && common == b.above.size() ? Nearness::one_switch : Nearness::some_switches;
}

GpuOfObject gpu_of_object(const std::vector<PciPart>& gpus) {
  GpuOfObject gpu_of;
  for (size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    for (const std::string& number : gpus[gpu].numbers) gpu_of.emplace(number, static_cast<int>(gpu));
  }
  return gpu_of;
}

Relations relations_of(const Found& found) {
  std::vector<const PciPart*> parts;
  for (const auto* all : {&found.gpus, &found.cards}) {
    for (const PciPart& part : *all) parts.push_back(&part);
  }
  Relations relations;
  for (const PciPart* a : parts) {
    relations.names.push_back(a->name);
    std::vector<Nearness>& row = relations.nearness.emplace_back();
    for (const PciPart* b : parts) row.push_back(a == b ? Nearness::one_switch : between(*a, *b, found.packages));
  }
  return relations;
}

// The cards with RDMA where there are any: the others are for management.
void choose_cards(Found& found) {
  const auto is_fast = [](const PciPart& card) { return card.fast; };
  if (std::any_of(found.cards.begin(), found.cards.end(), is_fast))
    std::erase_if(found.cards, [&](const PciPart& card) { return !is_fast(card); });
  for (size_t i = 0; i < found.cards.size(); ++i) {
    std::string& name  = found.cards[i].name;
    name               = plain(name);
    const auto is_same = [&](const PciPart& card) { return card.name == name; };
    if (name.empty() || std::count_if(found.cards.begin(), found.cards.end(), is_same) > 1)
      name = fmt::format("nic{}", i);
  }
}

bool recognises_hwloc(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<' && text.find("<topology") != std::string_view::npos;
}

Imported read_hwloc(const Text& text, const ImportOptions& options) {
  const XmlSource source(text.text, text.file);
  pugi::xml_document xml;
  const pugi::xml_parse_result parsed = xml.load_buffer(text.text.data(), text.text.size());
  if (!parsed)
    throw Error(source.where(static_cast<size_t>(parsed.offset)), fmt::format("no XML: {}", parsed.description()));
  const pugi::xml_node topology = xml.child("topology");
  Found found;
  std::vector<pugi::xml_node> above;
  for (const pugi::xml_node& object : topology.children("object")) collect(object, above, found, source);
  choose_cards(found);
  if (found.gpus.empty())
    text.fail("has no GPU (a PCIDev of class 03xx or 12xx); write it with lstopo --of xml where the GPUs are");
  if (found.gpus.size() + found.cards.size() > kMostOfServer)
    text.fail(fmt::format("{} GPUs and cards are too many; use at most {}", found.gpus.size() + found.cards.size(),
                          kMostOfServer));
  Server server;
  Node& node   = server.node;
  node.title   = "Server as hwloc shows it";
  node.sources = {"nodes: " + text.file, kLatencySource};
  node.gpus    = static_cast<int>(found.gpus.size());
  node.gpu     = sheet_of_model(found.gpus.front().model, options, server.assumed);
  add_links(server, topology, gpu_of_object(found.gpus));
  Port pcie          = pcie_of(node.gpu);
  const double speed = std::max_element(found.gpus.begin(), found.gpus.end(), [](const PciPart& a, const PciPart& b) {
                         return a.speed < b.speed;
                       })->speed;
  if (speed > 0) {
    pcie.bandwidth = BytesPerSecond(speed * 1e9);
    server.assumed.emplace_back("PCIe: every link is as fast as that of the fastest GPU was when the file was written");
  } else {
    server.assumed.push_back(fmt::format("PCIe: x16 of {}, each way", format(pcie.bandwidth)));
  }
  const Port nic  = found.cards.empty() ? Port{} : nic_of(options, server.assumed);
  const Tree tree = add_pcie_tree(node, relations_of(found), pcie, nic, text);
  if (found.cards.empty()) assume_card(server, options, tree.roots.front());
  return write_servers(std::move(server), options, text);
}

}  // namespace

Reader hwloc() { return {{"lstopo --of xml", "hwloc's XML"}, recognises_hwloc, read_hwloc}; }

}  // namespace foreflow::platform::imports
