#include "platform/routes/connected.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"

namespace foreflow::platform {
namespace {

// Which piece of the core each vertex of its network lies in.
std::vector<int> pieces(const Network& network) {
  std::vector<int> piece(static_cast<size_t>(network.size()), -1);
  for (int start = 0; start < network.size(); ++start) {
    std::vector<int> frontier = {start};
    while (!frontier.empty()) {
      const int at = frontier.back();
      frontier.pop_back();
      if (nth(piece, at) >= 0) continue;
      nth(piece, at) = start;
      for (const Arc& arc : network.arcs(at)) frontier.push_back(arc.to);
    }
  }
  return piece;
}

class Check {
 public:
  Check(const Parts& parts, const List<Device>& devices, const std::string& name)
      : parts_(parts), devices_(devices), name_(name), pieces_(pieces(parts.core.network)) {}

  void run() const {
    std::map<std::set<int>, std::vector<int>> groups;  // devices by the pieces of the core that they reach
    for (int d = 0; d < static_cast<int>(devices_.size()); ++d) groups[reached(d)].push_back(d);
    for (auto here = groups.begin(); here != groups.end(); ++here) {
      for (auto there = here; there != groups.end(); ++there) {
        if (!meet(here->first, there->first)) require_inside(here->second, there->second);
      }
    }
    check_inside();
  }

 private:
  const Island& island(int device) const { return nth(parts_.islands, nth(parts_.places, device).island); }

  std::set<int> reached(int device) const {
    const Island& home = island(device);
    const auto index   = static_cast<size_t>(nth(parts_.places, device).index);
    std::set<int> found;
    for (const auto& [cost, door] : nth(parts_.shapes, home.shape).leaving[index]) {
      const IslandPort& port = nth(home.ports, door);
      found.insert(nth(pieces_, nth(parts_.core.switches, port.at).core));
    }
    return found;
  }

  static bool meet(const std::set<int>& here, const std::set<int>& there) {
    return std::any_of(here.begin(), here.end(), [&](int piece) { return there.contains(piece); });
  }

  // No two of these have a way through the core. Ends at the first two of different islands.
  void require_inside(const std::vector<int>& from, const std::vector<int>& to) const {
    for (const int first : from) {
      for (const int last : to) {
        const IslandPlace a = nth(parts_.places, first), b = nth(parts_.places, last);
        if (a.island != b.island || !joined(island(first), a.index, b.index)) fail(first, last);
      }
    }
  }

  bool joined(const Island& home, int from, int to) const {
    return nth(nth(nth(parts_.shapes, home.shape).left, to), from) != kFar;
  }

  // Devices of one island that only other devices join.
  void check_inside() const {
    for (const Island& home : parts_.islands) {
      for (size_t a = 0; a < home.vertices.size(); ++a) {
        for (size_t b = 0; b < a; ++b) {
          const int from = home.vertices[b], to = home.vertices[a];
          if (!is_device(from) || !is_device(to) || joined(home, static_cast<int>(b), static_cast<int>(a))) continue;
          if (!meet(reached(from), reached(to))) fail(from, to);
        }
      }
    }
  }

  bool is_device(int vertex) const { return static_cast<size_t>(vertex) < devices_.size(); }

  [[noreturn]] void fail(int a, int b) const {
    const auto [from, to] = std::minmax(a, b);
    throw Error(name_, fmt::format("no route from device \"{}\" to device \"{}\": join them by edges and routers "
                                   "(devices, and the routers of a server, forward nothing for others)",
                                   nth(devices_, from).name, nth(devices_, to).name));
  }

  const Parts& parts_;
  const List<Device>& devices_;
  const std::string& name_;
  std::vector<int> pieces_;
};

}  // namespace

void check_connected(const Parts& parts, const List<Device>& devices, const std::string& name) {
  Check(parts, devices, name).run();
}

}  // namespace foreflow::platform
