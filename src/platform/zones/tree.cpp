#include "platform/zones/tree.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::platform::zones {
namespace {

// The block that holds number `index`.
template <class Block>
const Block& block_of(const std::vector<Block>& blocks, int index) {
  const auto after = std::upper_bound(blocks.begin(), blocks.end(), index,
                                      [](int value, const Block& one) { return value < one.first; });
  return *std::prev(after);
}

std::optional<int> find_in(const LinkBlock& block, std::string_view name) {
  if (block.cluster) return find_link(*block.cluster, name);
  if (!block.split) return block.names.find(name);
  const bool down = name.ends_with("_DOWN");
  if (!down && !name.ends_with("_UP")) return std::nullopt;
  const auto index = block.names.find(name.substr(0, name.rfind('_')));
  return index ? std::optional(2 * *index + (down ? 1 : 0)) : std::nullopt;
}

}  // namespace

const HostBlock& block_of_host(const Tree& tree, int host) { return block_of(tree.hosts, host); }
const LinkBlock& block_of_link(const Tree& tree, int link) { return block_of(tree.links, link); }

std::string host_name(const Tree& tree, int host) {
  const HostBlock& block = block_of_host(tree, host);
  return block.names.name(host - block.first);
}

std::string link_name(const Tree& tree, int link) {
  const LinkBlock& block = block_of_link(tree, link);
  const int index        = link - block.first;
  if (block.cluster) return link_name(*block.cluster, index);
  if (!block.split) return block.names.name(index);
  return block.names.name(index / 2) + (index % 2 == 0 ? "_UP" : "_DOWN");
}

int link_kind(const Tree& tree, int link) {
  const LinkBlock& block = block_of_link(tree, link);
  if (!block.cluster) return block.kinds.front();
  const Cluster& cluster = *block.cluster;
  if (cluster.has_backbone() && link == cluster.first_link) return block.kinds[0];
  if (link < cluster.limiters_at()) return block.kinds[1];
  if (link < cluster.cables_at()) return block.kinds[2];
  const int of_cables = link - cluster.cables_at();
  const int width     = cluster.topology->width(cluster, cluster.split ? of_cables / 2 : of_cables);
  const auto at       = std::find(block.widths.begin(), block.widths.end(), width);
  return block.kinds[3 + static_cast<size_t>(at - block.widths.begin())];
}

Point place_of_host(const Tree& tree, int host) {
  const HostBlock& block = block_of_host(tree, host);
  return {block.place.zone, block.place.member + host - block.first};
}

std::optional<int> find_host(const Tree& tree, std::string_view name) {
  if (const auto listed = tree.host_blocks.find(std::string(name)); listed != tree.host_blocks.end())
    return nth(tree.hosts, listed->second).first;
  for (const int number : tree.host_series) {
    const HostBlock& block = nth(tree.hosts, number);
    if (const auto index = block.names.find(name)) return block.first + *index;
  }
  return std::nullopt;
}

std::optional<int> find_link(const Tree& tree, std::string_view name) {
  if (const auto listed = tree.link_names.find(std::string(name)); listed != tree.link_names.end())
    return listed->second;
  for (const int number : tree.link_series) {
    const LinkBlock& block = nth(tree.links, number);
    if (const auto index = find_in(block, name)) return block.first + *index;
  }
  return std::nullopt;
}

std::optional<Point> find_point(const Tree& tree, std::string_view name) {
  if (const auto listed = tree.points.find(std::string(name)); listed != tree.points.end()) return listed->second;
  const auto host = find_host(tree, name);
  return host ? std::optional(place_of_host(tree, *host)) : std::nullopt;
}

std::optional<int> zone_at(const Tree& tree, Point point) {
  if (!nth(tree.zones, point.zone).inner) return std::nullopt;
  for (size_t zone = static_cast<size_t>(point.zone) + 1; zone < tree.zones.size(); ++zone) {
    if (tree.zones[zone].parent == point.zone && tree.zones[zone].member == point.member) return static_cast<int>(zone);
  }
  return std::nullopt;
}

}  // namespace foreflow::platform::zones
