#include "foreflow/stream/task.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "foreflow/base/nth.h"
#include "foreflow/platform/by_node.h"
#include "foreflow/platform/link_kinds.h"
#include "stream/rings.h"

namespace foreflow::stream {
namespace {

using collective::Group;
using collective::Medium;
using collective::Wire;
using platform::Platform;
using platform::Route;

const platform::Link& link(const Platform& platform, int index) {
  return platform.links().like(static_cast<size_t>(index));
}

// Returns the medium of a message. A way through a NIC is a network; one over NVLink is not.
Medium medium_of(const Platform& platform, const Route& route, bool leaves) {
  bool nvlink = false, card = false;
  for (const int crossed : route.links) {
    const std::string& kind = link(platform, crossed).kind;
    nvlink                  = nvlink || platform::is_nvlink(kind);
    card                    = card || platform::is_card(kind);
  }
  if (nvlink && !card) return Medium::nvlink;
  return leaves || card ? Medium::network : Medium::bus;
}

// The slower of what is known and the route, if there is one.
void worsen(std::optional<Wire>& wire, const Platform& platform, const Route& route, bool leaves) {
  if (!route.exists()) return;
  Wire found{platform.step_latency(route), BytesPerSecond(std::numeric_limits<double>::infinity()),
             medium_of(platform, route, leaves)};
  for (const int crossed : route.links) {
    const auto times = std::count(route.links.begin(), route.links.end(), crossed);
    found.bandwidth  = std::min(found.bandwidth, link(platform, crossed).payload() / static_cast<double>(times));
  }
  if (route.limit > BytesPerSecond(0)) found.bandwidth = std::min(found.bandwidth, route.limit);
  if (wire) {
    found.latency   = std::max(found.latency, wire->latency);
    found.bandwidth = std::min(found.bandwidth, wire->bandwidth);
    found.medium    = std::max(found.medium, wire->medium);
  }
  wire = found;
}

// The link by which a message leaves its node.
int nic(const Platform& platform, const Route& route) {
  for (const int crossed : route.links) {
    if (platform::is_card(link(platform, crossed).kind)) return crossed;
  }
  return route.links.empty() ? -1 : route.links.front();
}

// The capabilities of the links that a group uses.
struct Abilities {
  int channels    = std::numeric_limits<int>::max();  // largest number of channels that all of them carry
  bool add_inside = true, add_between = true;         // whether every route crosses a switch that reduces

  void see(const Platform& platform, const Route& route, bool leaves) {
    bool adds = false;
    for (const int crossed : route.links) {
      const platform::Link& one = link(platform, crossed);
      adds                      = adds || one.in_switch;
      if (one.channels > 0) channels = std::min(channels, one.channels);
    }
    (leaves ? add_between : add_inside) &= adds;
  }
};

// Routes that cross links of the same kinds say the same about a group, so one of them is enough.
class RouteKinds {
 public:
  explicit RouteKinds(const Platform& platform) : platform_(platform) {}

  // False if a route of these kinds is known. There are few, or too many to remember.
  bool is_new(const Route& route, bool leaves) {
    constexpr size_t kMost = 8;
    now_.links.clear();
    for (auto link = route.links.begin(); link != route.links.end(); ++link)
      now_.links.emplace_back(platform_.link_kind(*link), std::find(route.links.begin(), link, *link) - link);
    now_.latency      = route.latency;
    now_.step_latency = route.step_latency;
    now_.limit        = route.limit;
    now_.leaves       = leaves;
    if (std::find(seen_.begin(), seen_.end(), now_) != seen_.end()) return false;
    if (seen_.size() < kMost) seen_.push_back(now_);
    return true;
  }

 private:
  struct Kinds {
    std::vector<std::pair<int, ptrdiff_t>> links;  // the kind of each, and how many links ago it was crossed already
    Seconds latency, step_latency;
    BytesPerSecond limit;
    bool leaves                         = false;
    bool operator==(const Kinds&) const = default;
  };
  const Platform& platform_;
  std::vector<Kinds> seen_;
  Kinds now_;  // kept for its memory
};

// Collects the facts about a group from two routes of each rank: one out of its node and one inside it.
class Survey {
 public:
  Survey(const Platform& platform, const std::vector<int>& places)
      : platform_(platform),
        places_(places),
        nodes_(platform::by_node(platform, places)),
        distinct_(nodes_.size() / static_cast<size_t>(platform::count_images(platform, places))),
        known_(platform) {
    if (!platform.has_equal_nodes()) return;
    const int of_node = static_cast<int>(platform.devices().size()) / platform.nodes();
    for (const std::vector<int>& ranks : nodes_) {
      std::vector<int>& positions = positions_.emplace_back();
      for (const int rank : ranks) positions.push_back(place(rank) % of_node);
    }
  }

  // Determines both wires, and the links by which messages leave the nodes.
  Ground measure() {
    std::optional<Wire> near, far;
    Group group{.ranks = static_cast<int>(places_.size()), .node = std::vector<int>(places_.size())};
    for (size_t node = 0; node < nodes_.size(); ++node) {
      for (const int rank : nodes_[node]) nth(group.node, rank) = static_cast<int>(node);
    }
    if (nodes_.size() > 1) group.rail = look_out(far);
    size_t in_each = std::numeric_limits<size_t>::max();  // rings in each node
    std::vector<Rings> rings;                             // of each distinct node, as indices into its ranks
    for (size_t node = 0; node < nodes_.size(); ++node) {
      if (node < distinct_) rings.push_back(node > 0 && is_like(node - 1, node) ? rings.back() : look_in(node, near));
      std::vector<std::vector<int>> orders = rings[node % distinct_].orders;
      for (auto& ring : orders) {
        for (int& member : ring) member = nth(nodes_[node], member);
      }
      in_each      = std::min(in_each, orders.size());
      nodes_[node] = orders.front();
      if (nodes_.size() == 1) group.rings = std::move(orders);
    }
    if (nodes_.size() > 1) group.rings = rings_between(nodes_, group.rail);
    if (static_cast<int64_t>(group.rings.size()) > able_.channels)
      group.rings.resize(static_cast<size_t>(able_.channels));
    // A mesh: each ring has links of its own, and the port of a rank is all of them together.
    if (near)
      near->bandwidth = static_cast<double>(nodes_.size() == 1 ? group.rings.size() : in_each) * near->bandwidth;
    group.nvls  = nodes_.size() == 1 && able_.add_inside;
    group.sharp = nodes_.size() > 1 && able_.add_between;
    describe_devices(group);
    const Wire instant{Seconds(0), BytesPerSecond(1)};  // no message uses this wire
    const Wire inside = near.value_or(far.value_or(instant));
    return {std::move(group), inside, far.value_or(inside)};
  }

 private:
  int place(int rank) const { return nth(places_, rank); }

  // Returns true if both nodes have equal devices of the group, in the same order.
  bool is_like(size_t one, size_t other) const { return !positions_.empty() && positions_[one] == positions_[other]; }

  void see(std::optional<Wire>& wire, const Route& route, bool leaves) {
    if (!known_.is_new(route, leaves)) return;
    worsen(wire, platform_, route, leaves);
    able_.see(platform_, route, leaves);
  }

  void describe_devices(Group& group) const {
    const auto device       = [&](int place) -> auto& { return platform_.devices().like(static_cast<size_t>(place)); };
    group.device            = device(places_.front()).kind;
    group.nvlink_generation = device(places_.front()).nvlink_generation;
    for (const int place : places_) {
      if (platform_.device_kind(place) == platform_.device_kind(places_.front())) continue;
      group.nvlink_generation = std::min(group.nvlink_generation, device(place).nvlink_generation);
      if (device(place).kind != group.device) group.device.clear();
    }
  }

  Rings look_in(size_t node, std::optional<Wire>& near) {
    std::vector<int> devices;
    for (const int rank : nodes_[node]) devices.push_back(place(rank));
    Rings rings = rings_in_node(platform_, devices);
    for (const Route& hop : rings.hops) see(near, hop, false);
    rings.hops.clear();
    return rings;
  }

  // The rail of each rank.
  std::vector<int> look_out(std::optional<Wire>& far) {
    std::vector<int> rails(places_.size());
    for (size_t node = 0; node < nodes_.size(); ++node) {
      const size_t after  = (node + 1) % nodes_.size();
      const auto& here    = nodes_[node];
      const auto& next    = nodes_[after];
      const bool is_image = node >= distinct_;
      if (is_image || (node > 0 && is_like(node - 1, node) && is_like(node, after))) {
        const auto& like = nodes_[is_image ? node - distinct_ : node - 1];
        for (size_t i = 0; i < here.size(); ++i) nth(rails, here[i]) = nth(rails, like[i]);
        continue;
      }
      std::vector<int> nics;
      for (size_t i = 0; i < here.size(); ++i) {
        const Route route = platform_.route(place(here[i]), place(next[std::min(i, next.size() - 1)]));
        see(far, route, true);
        const int out       = nic(platform_, route);
        const auto known    = std::find(nics.begin(), nics.end(), out);
        nth(rails, here[i]) = static_cast<int>(known - nics.begin());
        if (known == nics.end()) nics.push_back(out);
      }
    }
    return rails;
  }

  const Platform& platform_;
  const std::vector<int>& places_;
  std::vector<std::vector<int>> nodes_;      // ranks
  const size_t distinct_;                    // the first nodes, of which the others are images
  std::vector<std::vector<int>> positions_;  // of these in their nodes; empty where nodes are not known to be equal
  Abilities able_;
  RouteKinds known_;
};

// The devices of the node of `place` that are contiguous with it in the platform's list.
std::vector<int> neighbours(const Platform& platform, int place) {
  const auto same = [&](int other) { return platform.node(other) == platform.node(place); };
  int first = place, last = place;
  while (first > 0 && same(first - 1)) --first;
  while (last + 1 < static_cast<int>(platform.devices().size()) && same(last + 1)) ++last;
  std::vector<int> result;
  for (int device = first; device <= last; ++device) result.push_back(device);
  return result;
}

// Pairs of devices at the same position in their nodes whose NICs are not used yet.
void add_relays(const Platform& platform, Placed& placed) {
  Group& group     = placed.task.group;
  const int sender = placed.places[0], receiver = placed.places[1];
  const auto here = neighbours(platform, sender), there = neighbours(platform, receiver);
  std::vector<int> in_use = {nic(platform, platform.route(sender, receiver)),
                             nic(platform, platform.route(receiver, sender))};
  std::optional<Wire> near;
  for (size_t i = 0; i < std::min(here.size(), there.size()); ++i) {
    if (here[i] == sender || there[i] == receiver) continue;
    const int out = nic(platform, platform.route(here[i], there[i]));
    const int in  = nic(platform, platform.route(there[i], here[i]));
    if (std::find(in_use.begin(), in_use.end(), out) != in_use.end()) continue;
    if (std::find(in_use.begin(), in_use.end(), in) != in_use.end()) continue;
    in_use.insert(in_use.end(), {out, in});
    placed.places.insert(placed.places.end(), {here[i], there[i]});
    group.node.insert(group.node.end(), {0, 1});
    group.relays += 2;
    group.rail.insert(group.rail.end(), 2, group.relays / 2);
    worsen(near, platform, platform.route(sender, here[i]), false);
    worsen(near, platform, platform.route(there[i], receiver), false);
  }
  if (near) placed.task.near = *near;
}

// The links of the platform as a collective::Network. Both arguments must outlive the result.
collective::Network network_of(const Platform& platform, const std::vector<int>& places) {
  collective::Network network;
  network.bandwidth = [&platform](int index) { return link(platform, index).payload(); };
  network.way       = [&platform, &places](int from, int to, std::vector<int>& crossed) {
    Route route           = platform.route(nth(places, from), nth(places, to));
    const Seconds latency = platform.step_latency(route);
    crossed               = std::move(route.links);
    return latency;
  };
  network.fat = [&platform](int index) { return link(platform, index).fat; };
  return network;
}

}  // namespace

Ground survey(const Platform& platform, const std::vector<int>& places) { return Survey(platform, places).measure(); }

Placed place(const Platform& platform, const collective::AlgorithmDef& algorithm, collective::Kind kind, Bytes bytes,
             const std::vector<int>& places) {
  return place(platform, algorithm, kind, bytes, places, survey(platform, places));
}

Placed place(const Platform& platform, const collective::AlgorithmDef& algorithm, collective::Kind kind, Bytes bytes,
             const std::vector<int>& places, const Ground& ground) {
  Placed placed{{kind, ground.group, bytes, ground.near, ground.far}, places};
  if (kind == collective::Kind::send && algorithm.wants_relays && placed.task.group.node[1] == 1)
    add_relays(platform, placed);
  placed.algorithm = &collective::usable(algorithm, placed.task, network_of(platform, placed.places));
  return placed;
}

collective::Cost closed_form(const Platform& platform, const Placed& placed,
                             const collective::AlgorithmDef& algorithm) {
  return collective::closed_form(algorithm, placed.task, network_of(platform, placed.places));
}

}  // namespace foreflow::stream
