// A dragonfly (Kim et al., "Technology-Driven, Highly-Scalable Dragonfly Topology", 2008) as SimGrid has it: groups of
// chassis of blades, each blade a router with its nodes. "3,4;4,3;5,1;2": 3 groups with 4 cables between two, 4 chassis
// in a group, 5 blades in a chassis, 2 nodes on a blade.
//
//   node - blade -green- other blades of its chassis
//            |   -black- the blades of the same number in the other chassis of its group
//            |   -blue-- another group: blade g of chassis 0 leads to group g
//
// Routes are minimal: green to the blade that leads to the group, black to chassis 0, blue, then green and black in the
// target's group. Parallel cables are one link of their bandwidth together.
#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/error.h"
#include "foreflow/platform/recipe.h"
#include "platform/zones/topologies.h"
#include "platform/zones/way.h"

namespace foreflow::platform::zones {
namespace {

constexpr std::string_view kDragonflyExample = "3,4;4,3;5,1;2";

// The number of the pair j < k among those of 0 .. count - 1, counted row by row.
int pair_number(int count, int j, int k) { return j * (2 * count - j - 1) / 2 + (k - j - 1); }

struct Blade {
  int group, chassis, blade;
};

struct Dragonfly {
  explicit Dragonfly(const Cluster& of)
      : cluster(of),
        groups(of.numbers[0][0]),
        chassis(of.numbers[1][0]),
        blades(of.numbers[2][0]),
        nodes(of.numbers[3][0]) {}

  static int64_t pairs(int count) { return int64_t{count} * (count - 1) / 2; }
  int64_t routers() const { return int64_t{groups} * chassis * blades; }
  int64_t locals() const { return routers() * nodes; }
  int64_t greens() const { return int64_t{groups} * chassis * pairs(blades); }
  int64_t blacks() const { return groups * pairs(chassis) * blades; }
  int64_t cables() const { return locals() + greens() + blacks() + pairs(groups); }

  int number(const Blade& router) const { return (router.group * chassis + router.chassis) * blades + router.blade; }
  Blade blade_of(int host) const {
    const int router = host / nodes;
    return {router / blades / chassis, router / blades % chassis, router % blades};
  }
  int green(const Blade& at, int to_blade) const {
    const int lower = std::min(at.blade, to_blade), upper = std::max(at.blade, to_blade);
    const auto first = static_cast<int>(locals() + (at.group * chassis + at.chassis) * pairs(blades));
    return directed(first + pair_number(blades, lower, upper), at.blade < to_blade);
  }
  int black(const Blade& at, int to_chassis) const {
    const int lower = std::min(at.chassis, to_chassis), upper = std::max(at.chassis, to_chassis);
    const auto first = static_cast<int>(locals() + greens() + at.group * pairs(chassis) * blades);
    return directed(first + pair_number(chassis, lower, upper) * blades + at.blade, at.chassis < to_chassis);
  }
  int blue(int from, int to) const {
    const auto first = static_cast<int>(locals() + greens() + blacks());
    return directed(first + pair_number(groups, std::min(from, to), std::max(from, to)), from < to);
  }
  int directed(int cable, bool forth) const { return forth ? cluster.up(cable) : cluster.down(cable); }

  const Cluster& cluster;
  int groups, chassis, blades, nodes;
};

void cross_dragonfly(const Cluster& cluster, int from, int to, Way& way) {
  way.found = true;
  if (from == to && cluster.has_loopback()) {
    way.links.push_back(cluster.loopbacks_at() + from);
    return;
  }
  const Dragonfly net(cluster);
  const auto limit = [&](int host_or_switch) {
    if (cluster.has_limiter()) way.links.push_back(cluster.limiters_at() + host_or_switch);
  };
  const auto hop = [&](const Blade& at, int link) {
    limit(cluster.hosts() + net.number(at));
    way.links.push_back(link);
  };
  Blade at           = net.blade_of(from);
  const Blade target = net.blade_of(to);
  limit(from);
  way.links.push_back(cluster.up(from));
  if (at.group != target.group) {
    if (at.blade != target.group) {
      hop(at, net.green(at, target.group));
      at.blade = target.group;
    }
    if (at.chassis != 0) {
      hop(at, net.black(at, 0));
      at.chassis = 0;
    }
    way.links.push_back(net.blue(at.group, target.group));
    limit(cluster.hosts() + net.number(at));  // SimGrid has it behind this cable
    at = {target.group, 0, at.group};
  }
  if (at.blade != target.blade) {
    hop(at, net.green(at, target.blade));
    at = {target.group, 0, target.blade};  // SimGrid goes on from chassis 0, wherever it was
  }
  if (at.chassis != target.chassis) hop(at, net.black(at, target.chassis));
  limit(cluster.hosts() + net.number(target));
  way.links.push_back(cluster.down(to));
  limit(to);
}

std::vector<std::vector<int>> read_dragonfly(std::string_view text) {
  auto lists = read_number_lists(text, 4, kDragonflyExample);
  for (size_t i = 0; i < lists.size(); ++i) {
    if (lists[i].size() == (i < 3 ? 2U : 1U)) continue;
    throw Error("", fmt::format("topo_parameters: \"{}\" needs three pairs of numbers and one number, like \"{}\"",
                                text, kDragonflyExample));
  }
  int64_t hosts = 1;
  for (const auto& list : lists) hosts = std::min(hosts * list.front(), kMostDevices + 1);
  if (hosts > kMostDevices)
    throw Error("", fmt::format("topo_parameters: \"{}\" are of more than {} hosts", text, kMostDevices));
  if (lists[0][0] > lists[2][0]) {
    throw Error("", fmt::format("topo_parameters: \"{}\" has {} groups and {} blades in a chassis; blade g leads to "
                                "group g, so it needs as many blades as groups",
                                text, lists[0][0], lists[2][0]));
  }
  return lists;
}

// Returns the pair that cable number `left` joins, counted over all pairs of 0 .. count - 1.
std::pair<int, int> pair_of(int count, int left) {
  int j = 0;
  for (; left >= count - j - 1; ++j) left -= count - j - 1;
  return {j, j + 1 + left};
}

std::string dragonfly_cable(const Cluster& cluster, int cable) {
  const Dragonfly net(cluster);
  const int made = cluster.made + cable;
  int left       = cable;
  if (left < net.locals())
    return fmt::format("local_link_from_router_{}_to_node_{}_{}", left / net.nodes, left % net.nodes, made);
  left -= static_cast<int>(net.locals());
  if (left < net.greens()) {
    const auto per    = static_cast<int>(Dragonfly::pairs(net.blades));
    const auto [j, k] = pair_of(net.blades, left % per);
    return fmt::format("green_link_in_chassis_{}_between_routers_{}_and_{}_{}", left / per % net.chassis, j, k, made);
  }
  left -= static_cast<int>(net.greens());
  if (left < net.blacks()) {
    const auto per    = static_cast<int>(Dragonfly::pairs(net.chassis)) * net.blades;
    const auto [j, k] = pair_of(net.chassis, left % per / net.blades);
    return fmt::format("black_link_in_group_{}_between_chassis_{}_and_{}_blade_{}_{}", left / per, j, k,
                       left % net.blades, made);
  }
  left -= static_cast<int>(net.blacks());
  const auto [i, j] = pair_of(net.groups, left);
  const int routers = net.blades * net.chassis;
  return fmt::format("blue_link_between_group_{}_and_{}_routers_{}_and_{}_{}", i, j, i * routers + j, j * routers + i,
                     made);
}

int width_of_cable(const Cluster& cluster, int cable) {
  const Dragonfly net(cluster);
  if (cable < net.locals()) return 1;
  if (cable < net.locals() + net.greens()) return cluster.numbers[2][1];
  if (cable < net.locals() + net.greens() + net.blacks()) return cluster.numbers[1][1];
  return cluster.numbers[0][1];
}

}  // namespace

ClusterTopology dragonfly_cluster() {
  return {.name        = "DRAGONFLY",
          .read        = read_dragonfly,
          .hosts       = [](const Cluster& cluster) { return Dragonfly(cluster).locals(); },
          .switches    = [](const Cluster& cluster) { return Dragonfly(cluster).routers(); },
          .cables      = [](const Cluster& cluster) { return Dragonfly(cluster).cables(); },
          .cable_name  = dragonfly_cable,
          .cables_like = like_by_count,
          .width       = width_of_cable,
          .cross       = cross_dragonfly};
}

}  // namespace foreflow::platform::zones
