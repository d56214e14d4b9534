// Names of a machine by rule: made from numbers, and read back.
#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "platform/layout/layout.h"

namespace foreflow::platform {
namespace {

constexpr std::string_view kNode = "node", kGpu = "gpu";

// A number as names have it: no sign and no zero in front.
std::optional<int> plain_number(std::string_view text) {
  const bool plain =
      !text.empty() && text.front() >= '0' && text.front() <= '9' && (text.size() == 1 || text[0] != '0');
  return plain ? parse_number<int>(text) : std::nullopt;
}

template <class Items, class Name>
std::optional<int> index_of(const Items& items, Name name) {
  const auto found = std::find_if(items.begin(), items.end(), name);
  return found == items.end() ? std::nullopt : std::optional(static_cast<int>(found - items.begin()));
}

// The trunk of this name: of all places where it can be parted, that at which both halves are switches.
std::optional<int> find_trunk(const Fabric& fabric, std::string_view name) {
  const auto find_switch = [&](std::string_view part) {
    return index_of(fabric.switches, [&](const std::string& known) { return known == part; });
  };
  for (size_t dash = name.find('-'); dash != std::string_view::npos; dash = name.find('-', dash + 1)) {
    const std::optional<int> from = find_switch(name.substr(0, dash)), to = find_switch(name.substr(dash + 1));
    if (!from || !to) continue;
    return index_of(fabric.trunks, [&](const Trunk& trunk) { return trunk.from == *from && trunk.to == *to; });
  }
  return std::nullopt;
}

}  // namespace

std::string Layout::vertex_name(int vertex) const {
  if (vertex >= first_core_) return nth(fabric_.switches, vertex - first_core_);
  if (vertex < devices_) {
    const auto [block, node, local] = device(vertex);
    return fmt::format("{}{}-{}{}", kNode, node, kGpu, local);
  }
  const int number  = vertex - devices_;
  const auto behind = std::find_if(blocks_.rbegin(), blocks_.rend(), [&](const Block& block) {
    return block.first_switch <= number && !block.node.switches.empty();
  });
  const int each = static_cast<int>(behind->node.switches.size()), local = number - behind->first_switch;
  return fmt::format("{}{}-{}", kNode, behind->first_node + local / each, nth(behind->node.switches, local % each));
}

std::string Layout::cable_name(int cable) const {
  if (cable >= first_trunk_) {
    const Trunk& trunk = nth(fabric_.trunks, cable - first_trunk_);
    return nth(fabric_.switches, trunk.from) + "-" + nth(fabric_.switches, trunk.to);
  }
  const auto [block, node, local] = owner(cable);
  const auto number               = static_cast<size_t>(local);
  return fmt::format("{}{}-{}", kNode, node,
                     cable < inside_ ? block->node.cables[number].name : block->node.nics[number].name);
}

std::optional<InNode> Layout::split_name(std::string_view name, std::string_view& rest) const {
  const size_t dash = name.find('-');
  if (!name.starts_with(kNode) || dash == std::string_view::npos) return std::nullopt;
  const std::optional<int> node = plain_number(name.substr(kNode.size(), dash - kNode.size()));
  if (!node || *node >= nodes_) return std::nullopt;
  rest = name.substr(dash + 1);
  const auto last =
      std::find_if(blocks_.rbegin(), blocks_.rend(), [&](const Block& block) { return block.first_node <= *node; });
  return InNode{&*last, *node, 0};
}

std::optional<int> Layout::find_device(std::string_view name) const {
  std::string_view rest;
  const std::optional<InNode> owner = split_name(name, rest);
  if (!owner || !rest.starts_with(kGpu)) return std::nullopt;
  const Block& block           = *owner->block;
  const std::optional<int> gpu = plain_number(rest.substr(kGpu.size()));
  if (!gpu || *gpu >= block.node.gpus) return std::nullopt;
  return block.first_device + (owner->node - block.first_node) * block.node.gpus + *gpu;
}

std::optional<int> Layout::find_cable(std::string_view name) const {
  std::string_view rest;
  const std::optional<InNode> owner = split_name(name, rest);
  if (!owner) {
    const std::optional<int> trunk = find_trunk(fabric_, name);
    return trunk ? std::optional(first_trunk_ + *trunk) : std::nullopt;
  }
  const Block& block = *owner->block;
  const Node& node   = block.node;
  const int copy     = owner->node - block.first_node;
  const auto named   = [&](const auto& part) { return part.name == rest; };
  if (const auto local = index_of(node.cables, named))
    return block.first_cable + copy * static_cast<int>(node.cables.size()) + *local;
  if (const auto local = index_of(node.nics, named))
    return inside_ + block.first_nic + copy * static_cast<int>(node.nics.size()) + *local;
  return std::nullopt;
}

}  // namespace foreflow::platform
