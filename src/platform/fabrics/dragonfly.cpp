#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "platform/fabrics/dragonfly_ways.h"
#include "platform/fabrics/switches.h"
#include "platform/link_units.h"
#include "platform/parameters.h"

namespace foreflow::platform::definitions::dragonfly {
namespace {

struct Settings {
  int router_ports                       = 0;  // of a router, that lead to nodes
  int group_routers                      = 0;
  int global_links                       = 0;  // of a router, to other groups
  int groups                             = 0;
  double oversubscription                = 1;  // NICs of a group / its links to other groups, where it is stated
  bool operator==(const Settings&) const = default;
};

// Kim, Dally, Scott and Abts (ISCA 2008): a routers in a group, all joined to each other; each has p NICs and h links
// to other groups, balanced when a = 2p = 2h. Every pair of groups has floor(a h / (groups - 1)) links.
int groups_for(const Settings& settings, int ports) {
  return ceil_div(ceil_div(ports, settings.router_ports), settings.group_routers);
}

int64_t links_of(const Settings& settings) {
  const int64_t routers = int64_t{settings.groups} * settings.group_routers;
  return routers * (settings.group_routers - 1) / 2 + routers * settings.global_links / 2;
}

Settings read(const JsonView& json, const Outlets& outlets) {
  const int ports    = static_cast<int>(outlets.all.size());
  const int balanced = smallest_multiple(1, [&](int64_t h) { return h * 2 * h * (2 * h * h + 1) >= ports; });
  Settings settings;
  settings.router_ports = whole_or(json, "router_ports", balanced);
  settings.group_routers =
      whole_or(json, "group_routers", std::min(2 * settings.router_ports, ceil_div(ports, settings.router_ports)));
  settings.global_links = whole_or(json, "global_links", settings.router_ports);
  const int needed      = groups_for(settings, ports);
  settings.groups       = whole_or(json, "groups", needed, needed);
  if (json.has("oversubscription"))
    settings.oversubscription = read_oversubscription(json) * settings.global_links / settings.router_ports;
  const int64_t links = int64_t{settings.group_routers} * settings.global_links;
  if (links_of(settings) > kMostLinks) {
    json.fail(fmt::format("{} groups of {} routers with {} global links each have more than {} links; use fewer",
                          settings.groups, settings.group_routers, settings.global_links, kMostLinks));
  }
  if (links < settings.groups - 1) {
    (json.has("groups") ? json.at("groups") : json)
        .fail(fmt::format("{} groups of {} routers with {} global links each cannot all be joined; use at most {} "
                          "groups, or more group_routers, router_ports or global_links",
                          settings.groups, settings.group_routers, settings.global_links, links + 1));
  }
  return settings;
}

// Longer than others, so that messages take minimal routes as in the paper: at most one link between
// groups, since one costs more than two links inside.
constexpr Seconds kGlobalLatency = 450_ns;
constexpr const char* kGlobalSource =
    "fabric latency between groups: 60 m of fibre at 5 ns/m more, an assumption, so that a route has one such link";

// The links between groups, with their width: several between the same two routers are one.
std::map<std::pair<int, int>, int> global_links(const Settings& settings) {
  std::map<std::pair<int, int>, int> links;
  const int others = settings.groups - 1, routers = settings.group_routers;
  for (int a = 0; a < settings.groups; ++a) {
    for (int b = a + 1; b < settings.groups; ++b) {
      for (int copy = 0; copy < routers * settings.global_links / others; ++copy) {
        const int there = copy * others + (b - a - 1);
        const int back  = copy * others + (a - b - 1 + settings.groups);
        ++links[{a * routers + there % routers, b * routers + back % routers}];
      }
    }
  }
  return links;
}

// The cables between groups, which are the trunks from `first` on.
DragonflyWires wires_of(const Settings& settings, const std::map<std::pair<int, int>, int>& links, int first) {
  const int groups = settings.groups, routers = settings.group_routers;
  DragonflyWires wires{groups, routers, routers * settings.router_ports, {}};
  wires.crossings.resize(static_cast<size_t>(groups) * static_cast<size_t>(groups));
  int trunk = first;
  for (const auto& [ends, count] : links) {
    const auto [a, b] = ends;
    for (int copy = 0; copy < count; ++copy) {
      wires.crossings[wires.pair(a / routers, b / routers)].push_back({a, b, trunk});
      wires.crossings[wires.pair(b / routers, a / routers)].push_back({b, a, trunk});
    }
    ++trunk;
  }
  return wires;
}

void join_groups(Fabric& fabric, const Settings& settings, const Outlets& outlets) {
  fabric.notes.emplace_back(kGlobalSource);
  const auto links = global_links(settings);
  const int first  = static_cast<int>(fabric.trunks.size());
  for (const auto& [ends, count] : links) {
    Port cable    = widened(outlets.cable, count / settings.oversubscription);
    cable.latency = kGlobalLatency;
    connect(fabric, ends.first, ends.second, cable);
    fabric.built_cables += count;
  }
  if (outlets.routing == "valiant") fabric.path = valiant_path(wires_of(settings, links, first));
  if (outlets.routing == "ugal" || outlets.routing == "adaptive")
    fabric.path = ugal_path(wires_of(settings, links, first));
}

// How many of `messages` from one group to another go directly.
int direct_in(const Settings& settings, const Outlets& outlets, int messages, int copies) {
  if (outlets.routing.empty() || outlets.routing == "minimal" || settings.groups <= 2) return messages;
  return outlets.routing == "valiant" ? 0 : direct_of(messages, copies, settings.groups);
}

// Messages of a ring that share a cable between two routers of a group, where two nodes have room in one: NIC x of a
// row sends to NIC x + rails, which is as many routers further for all NICs of a router, or for two parts of them.
int sharing_inside(const Settings& settings, int rails) {
  if (settings.router_ports * settings.group_routers < 2 * rails) return 0;
  const int apart = rails % settings.router_ports;
  return apart == 0 ? settings.router_ports : std::max(apart, settings.router_ports - apart);
}

// Messages of a ring that share a cable, at least. From a group to the next go as many as a node has NICs. Of those
// that go round by another group, each of the groups - 2 others has an even part on its way there and on its way on.
double sharing_of_ring(const Settings& settings, const Outlets& outlets, int copies) {
  const int rails     = outlets.most_of_node;
  const int messages  = std::min(rails, settings.router_ports * settings.group_routers);
  const int direct    = direct_in(settings, outlets, messages, copies);
  const double cables = copies / settings.oversubscription;
  const double round  = direct < messages ? 2.0 * (messages - direct) / (settings.groups - 2) : 0;
  return std::max({1.0, direct / cables, round / cables, 1.0 * sharing_inside(settings, rails)});
}

// An all-to-all is a shift by each distance, which sends 1, 2, ... messages from a group to another equally often.
double crossings_of_all(const Settings& settings, const Outlets& outlets, int copies) {
  double messages = 0, crossings = 0;
  for (int some = 1; some <= settings.router_ports * settings.group_routers; ++some) {
    messages += some;
    crossings += 2 * some - direct_in(settings, outlets, some, copies);
  }
  return crossings / messages;
}

void add_formulas(Fabric& fabric, const Settings& settings, const Outlets& outlets) {
  const int groups = settings.groups;
  if (groups < 2) return;
  const int copies    = settings.group_routers * settings.global_links / (groups - 1);
  const double cables = copies / settings.oversubscription;
  fabric.bisection    = times_nic(outlets, std::min(half_of(outlets), cables * groups * groups / 4));
  fabric.crossings    = crossings_of_all(settings, outlets, copies);
  fabric.next_node    = times_nic(outlets, outlets.most_of_node / sharing_of_ring(settings, outlets, copies));
}

Fabric build(const Settings& settings, const Outlets& outlets) {
  const int routers = settings.group_routers;
  Fabric fabric;
  fabric.notes = {fmt::format("{} groups of {} routers with {} NICs and {} global links each", settings.groups, routers,
                              settings.router_ports, settings.global_links)};
  for (int r = 0; r < settings.groups * routers; ++r)
    add_switch(fabric, fmt::format("group{}-router{}", r / routers, r % routers));
  for (size_t port = 0; port < outlets.all.size(); ++port)
    fabric.plugs.push_back(static_cast<int>(port) / settings.router_ports);
  for (int r = 0; r < settings.groups * routers; ++r) {
    for (int other = r + 1; other < (r / routers + 1) * routers; ++other) connect(fabric, r, other, outlets.cable);
  }
  fabric.built_switches = static_cast<int64_t>(settings.groups) * routers;
  fabric.built_cables   = static_cast<int64_t>(fabric.trunks.size());
  if (settings.groups > 1) join_groups(fabric, settings, outlets);
  add_formulas(fabric, settings, outlets);
  return fabric;
}

}  // namespace

FabricDef row() {
  return fabric_row<read, build>(
      "dragonfly", "groups of routers, all joined inside a group, and links between every two groups",
      {count_key("router_ports", "NICs of a router, by default as many as a balanced dragonfly of this size has"),
       count_key("group_routers",
                 "routers of a group, by default twice the NICs of a router, or as many as are needed"),
       count_key("global_links", "links of a router to other groups, by default as many as it has NICs"),
       count_key("groups", "by default as many as are needed"),
       {"oversubscription", "NICs of a group / its links to other groups, by default as the counts have it",
        types::number(1)}},
      {"minimal", "valiant", "ugal", "adaptive"});
}

}  // namespace foreflow::platform::definitions::dragonfly
