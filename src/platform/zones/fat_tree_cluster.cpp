// A generalised fat tree (Zahavi, "D-Mod-K Routing Providing Non-Blocking Traffic for Shift Permutations on Real Life
// Fat Trees", 2010) with SimGrid's D-mod-k. "2;4,4;1,2;1,2": two levels; a switch of level 1 has 4 hosts below it, one
// of level 2 has 4 switches below it; a host has 1 parent, a switch of level 1 has 2; 1 and 2 parallel cables.
//
//   level 2      s         s          nodes of level l have a label of one digit for each level: digit i counts
//   level 1    s   s     s   s        children where i >= l and parents where i < l
//   level 0   h h h h   h h h h
//
// A cable belongs to its lower node: parent p on parallel cable j is port p + j * parents.
#include <fmt/core.h>

#include "foreflow/base/error.h"
#include "platform/zones/topologies.h"
#include "platform/zones/way.h"

namespace foreflow::platform::zones {
namespace {

struct FatTree {
  explicit FatTree(const Cluster& of)
      : cluster(of),
        levels(static_cast<size_t>(of.numbers[0][0])),
        children(of.numbers[1]),
        parents(of.numbers[2]),
        ports(of.numbers[3]) {}

  int digits(size_t level, size_t digit) const { return digit < level ? parents[digit] : children[digit]; }
  int64_t nodes(size_t level) const {
    int64_t all = 1;
    for (size_t digit = 0; digit < levels; ++digit) all = std::min(all * digits(level, digit), int64_t{1} << 40);
    return all;
  }
  int digit(size_t level, int node, size_t which) const {
    for (size_t i = 0; i < which; ++i) node /= digits(level, i);
    return node % digits(level, which);
  }
  // `node` of `level` with another digit for `which`, as a node of `to_level`.
  int moved(size_t level, int node, size_t to_level, size_t which, int value) const {
    int result = 0, scale = 1;
    for (size_t i = 0; i < levels; ++i) {
      result += scale * (i == which ? value : digit(level, node, i));
      scale *= digits(to_level, i);
    }
    return result;
  }
  int parent(size_t level, int node, int port) const {
    return moved(level, node, level + 1, level, port % parents[level]);
  }
  int child(size_t level, int node, int port) const {
    return moved(level, node, level - 1, level - 1, port % children[level - 1]);
  }
  // The cable from a node up by a port.
  int cable(size_t level, int node, int port) const {
    int64_t first = 0;
    for (size_t i = 0; i < level; ++i) first += nodes(i) * parents[i] * ports[i];
    return static_cast<int>(first) + (node * parents[level] + port % parents[level]) * ports[level] +
           port / parents[level];
  }
  // The cable from a node down by a port.
  int cable_below(size_t level, int node, int port) const {
    return cable(level - 1, child(level, node, port),
                 digit(level, node, level - 1) + port / children[level - 1] * parents[level - 1]);
  }
  bool is_above(size_t level, int node, int host) const {
    if (level == 0) return false;
    for (size_t i = level; i < levels; ++i) {
      if (digit(level, node, i) != digit(0, host, i)) return false;
    }
    return true;
  }
  // SimGrid's number of a switch: 2n - 1 for the first, and so on down.
  int switch_index(size_t level, int node) const {
    int64_t before = 0;
    for (size_t i = 1; i < level; ++i) before += nodes(i);
    return static_cast<int>(before) + node;
  }
  int id(size_t level, int node) const {
    return level == 0 ? node : 2 * cluster.hosts() - 1 - switch_index(level, node);
  }
  int limiter(size_t level, int node) const {
    return cluster.limiters_at() + (level == 0 ? node : cluster.hosts() + switch_index(level, node));
  }

  const Cluster& cluster;
  size_t levels;
  const std::vector<int>&children, &parents, &ports;
};

void cross_fat_tree(const Cluster& cluster, int from, int to, Way& way) {
  way.found = true;
  if (from == to && cluster.has_loopback()) {
    way.links.push_back(cluster.loopbacks_at() + from);
    return;
  }
  const FatTree tree(cluster);
  const auto limit = [&](size_t level, int node) {
    if (cluster.has_limiter()) way.links.push_back(tree.limiter(level, node));
  };
  const int target = to + cluster.before, source = from + cluster.before;
  size_t level = 0;
  int node     = from;
  while (!tree.is_above(level, node, to)) {
    int d = target;
    for (size_t i = 0; i < level; ++i) d /= tree.parents[i];
    d %= tree.parents[level] * tree.ports[level];
    limit(level, node);
    way.links.push_back(cluster.up(tree.cable(level, node, d)));
    node = tree.parent(level, node, d);
    ++level;
  }
  // SimGrid scans the ports of a switch from the parallel cable that the source chooses. Having found the child, it
  // goes on from the next port, now of that child, and begins anew only when it runs out of them.
  while (level > 0) {
    const int parallel = source % tree.ports[level - 1];
    for (int port = parallel * tree.children[level - 1];
         level > 0 && port < tree.children[level - 1] * tree.ports[level - 1]; ++port) {
      if (port % tree.children[level - 1] != tree.digit(0, to, level - 1)) continue;
      way.links.push_back(cluster.down(tree.cable_below(level, node, port)));
      limit(level, node);
      node = tree.child(level, node, port);
      --level;
    }
  }
  limit(0, to);
}

std::vector<std::vector<int>> read_fat_tree(std::string_view text) {
  constexpr std::string_view kExample = "2;4,4;1,2;1,2";
  auto lists                          = read_number_lists(text, 4, kExample);
  constexpr int kMostLevels           = 32;
  const int levels                    = lists[0][0];
  for (size_t i = 0; i < lists.size(); ++i) {
    const size_t needed = i == 0 ? 1 : static_cast<size_t>(levels);
    if (lists[i].size() == needed && levels <= kMostLevels) continue;
    throw Error("", fmt::format("topo_parameters: \"{}\" needs a number of levels and three lists of as many numbers, "
                                "like \"{}\"",
                                text, kExample));
  }
  return lists;
}

int64_t cables_of_fat_tree(const Cluster& cluster) {
  const FatTree tree(cluster);
  int64_t all = 0;
  for (size_t level = 0; level < tree.levels; ++level)
    all = std::min(all + std::min(tree.nodes(level) * tree.parents[level], int64_t{1} << 40) * tree.ports[level],
                   int64_t{1} << 40);
  return all;
}

int64_t switches_of_fat_tree(const Cluster& cluster) {
  const FatTree tree(cluster);
  int64_t all = 0;
  for (size_t level = 1; level <= tree.levels; ++level) all += tree.nodes(level);
  return all;
}

std::string fat_tree_cable(const Cluster& cluster, int cable) {
  const FatTree tree(cluster);
  int left     = cable;
  size_t level = 0;
  for (;; ++level) {
    const int64_t here = tree.nodes(level) * tree.parents[level] * tree.ports[level];
    if (left < here) break;
    left -= static_cast<int>(here);
  }
  const int node   = left / (tree.parents[level] * tree.ports[level]);
  const int parent = tree.parent(level, node, left / tree.ports[level] % tree.parents[level]);
  return fmt::format("link_from_{}_{}_{}", tree.id(level, node), tree.id(level + 1, parent), cluster.made + cable);
}

}  // namespace

std::vector<int> like_by_count(const Cluster& cluster, std::string_view name) {
  const auto number = plain_number(name.substr(name.rfind('_') + 1));
  return number ? std::vector{*number - cluster.made} : std::vector<int>{};
}

ClusterTopology fat_tree_cluster() {
  return {.name        = "FAT_TREE",
          .read        = read_fat_tree,
          .hosts       = [](const Cluster& cluster) { return FatTree(cluster).nodes(0); },
          .switches    = switches_of_fat_tree,
          .cables      = cables_of_fat_tree,
          .cable_name  = fat_tree_cable,
          .cables_like = like_by_count,
          .width       = [](const Cluster&, int) { return 1; },
          .cross       = cross_fat_tree};
}

}  // namespace foreflow::platform::zones
