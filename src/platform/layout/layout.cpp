#include "platform/layout/layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "foreflow/platform/link_kinds.h"
#include "platform/link_property.h"

namespace foreflow::platform {
namespace {

size_t at(int index) { return static_cast<size_t>(index); }

// The block whose things include number `number`; `first` is the number of a block's first one.
const Block& block_with(const std::vector<Block>& blocks, int Block::*first, int number) {
  if (blocks.size() == 1) return blocks.front();
  const auto after = std::upper_bound(blocks.begin(), blocks.end(), number,
                                      [first](int wanted, const Block& block) { return wanted < block.*first; });
  return *(after - 1);
}

InNode in_block(const Block& block, int number, size_t of_node) {
  const int each = static_cast<int>(of_node);
  return {&block, block.first_node + number / each, number % each};
}

}  // namespace

int rail_of(int gpu, int gpus, int nics) { return nics > gpus ? (gpu * nics + gpus - 1) / gpus : gpu * nics / gpus; }

Layout::Layout(const Recipe& recipe) : recipe_(recipe) {
  for (const Part& part : recipe_.parts) add_block(part);
  add_fabric();
  number_links();
}

void Layout::add_block(const Part& part) {
  Block& block       = blocks_.emplace_back();
  block.node         = build_node(part);
  block.nodes        = part.nodes;
  block.first_node   = nodes_;
  block.first_device = devices_;
  block.first_switch = switches_;
  block.first_cable  = inside_;
  block.first_nic    = nics_;
  block.sheet        = device_of(block.node.gpu);
  block.sheet.cpu    = block.node.cpu;
  block.device_kind  = device_kinds_.of(block.sheet);
  nodes_ += block.nodes;
  devices_ += block.nodes * block.node.gpus;
  switches_ += block.nodes * static_cast<int>(block.node.switches.size());
  inside_ += block.nodes * static_cast<int>(block.node.cables.size());
  nics_ += block.nodes * static_cast<int>(block.node.nics.size());
}

void Layout::add_fabric() {
  fabric_ = recipe_.fabric->build(recipe_.settings, outlets_of(recipe_.parts, recipe_.routing));
  FOREFLOW_CHECK(fabric_.plugs.size() == at(nics_), "a fabric has a place for every NIC");
  first_core_  = devices_ + switches_;
  first_trunk_ = inside_ + nics_;
  if (fabric_.trunks.empty()) return;
  // Nodes that are joined by several switches share no memory.
  for (Block& block : blocks_) {
    for (Nic& nic : block.node.nics) nic.port.kind = "nic";
  }
}

int Layout::new_kind(const Block* block, const Port& port, const LinkNumbers& change) {
  Link link;
  link.kind      = port.kind;
  link.bandwidth = port.bandwidth;
  link.latency   = port.latency;
  link           = platform::changed(change, std::move(link));
  link.in_switch = recipe_.sharp && is_of_fabric(port.kind);
  if (block != nullptr && is_nvlink(port.kind)) {
    link.nvlink_generation = block->sheet.nvlink_generation;
    link.in_switch         = block->node.nvls;
  }
  return link_kinds_.of(link);
}

void Layout::number_links() {
  const auto of_kind = [&](const Port& port) { return numbers_of(recipe_.links, port.kind, port.kind); };
  for (Block& block : blocks_) {
    for (const Cable& cable : block.node.cables)
      block.cable_kinds.push_back(new_kind(&block, cable.port, of_kind(cable.port)));
    for (const Nic& nic : block.node.nics) block.nic_kinds.push_back(new_kind(nullptr, nic.port, of_kind(nic.port)));
  }
  for (const Port& port : fabric_.ports) trunk_kinds_.push_back(new_kind(nullptr, port, of_kind(port)));
  for (const auto& [key, unused] : recipe_.links) {
    const std::optional<int> cable = find_cable(key);
    if (!cable) continue;
    const Block* block = *cable < inside_ ? owner(*cable).block : nullptr;
    changed_[*cable]   = new_kind(block, port(*cable), numbers_of(recipe_.links, port(*cable).kind, key));
  }
}

InNode Layout::device(int device) const {
  const Block& block = block_with(blocks_, &Block::first_device, device);
  return in_block(block, device - block.first_device, at(block.node.gpus));
}

InNode Layout::owner(int cable) const {
  if (cable >= inside_) {
    const Block& block = block_with(blocks_, &Block::first_nic, cable - inside_);
    return in_block(block, cable - inside_ - block.first_nic, block.node.nics.size());
  }
  const Block& block = block_with(blocks_, &Block::first_cable, cable);
  return in_block(block, cable - block.first_cable, block.node.cables.size());
}

Device Layout::make_device(int number) const {
  const auto [block, node, local] = device(number);
  Device made                     = block->sheet;
  made.node                       = fmt::format("node{}", node);
  made.name                       = fmt::format("{}-gpu{}", made.node, local);
  made.rail                       = rail(number);
  return made;
}

int Layout::rail(int number) const {
  const auto [block, node, local] = device(number);
  return rail_of(local, block->node.gpus, static_cast<int>(block->node.nics.size()));
}

Ends Layout::ends(int cable) const {
  if (cable >= first_trunk_) {
    const Trunk& trunk = fabric_.trunks[at(cable - first_trunk_)];
    return {first_core_ + trunk.from, first_core_ + trunk.to};
  }
  const auto [block, node, local] = owner(cable);
  const int gpus = block->node.gpus, copy = node - block->first_node;
  const auto vertex = [&, block = block](int inner) {
    const int switches = static_cast<int>(block->node.switches.size());
    return inner < gpus ? block->first_device + copy * gpus + inner
                        : devices_ + block->first_switch + copy * switches + inner - gpus;
  };
  if (cable >= inside_)
    return {vertex(block->node.nics[at(local)].vertex), first_core_ + fabric_.plugs[at(cable - inside_)]};
  const Cable& inner = block->node.cables[at(local)];
  return {vertex(inner.from), vertex(inner.to)};
}

const Port& Layout::port(int cable) const {
  if (cable >= first_trunk_) return fabric_.ports[at(fabric_.trunks[at(cable - first_trunk_)].port)];
  const auto [block, node, local] = owner(cable);
  return cable < inside_ ? block->node.cables[at(local)].port : block->node.nics[at(local)].port;
}

int Layout::link_kind(int cable) const {
  if (!changed_.empty()) {
    if (const auto found = changed_.find(cable); found != changed_.end()) return found->second;
  }
  if (cable >= first_trunk_) return trunk_kinds_[at(fabric_.trunks[at(cable - first_trunk_)].port)];
  const auto [block, node, local] = owner(cable);
  return cable < inside_ ? block->cable_kinds[at(local)] : block->nic_kinds[at(local)];
}

Link Layout::make_link(int link) const {
  Link made = link_kinds()[at(link_kind(link / 2))];
  made.name = cable_name(link / 2) + (link % 2 == 0 ? "_UP" : "_DOWN");
  return made;
}

}  // namespace foreflow::platform
