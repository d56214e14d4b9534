// Shortest paths by (latency, number of links) in a network of which some vertices forward nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/base/units.h"

namespace foreflow::platform {

// Picoseconds * 256 + links: an integer, so that equal ways compare equal in whatever order they were added up. Paths
// of more than 255 links count 256 of them as a picosecond.
using Cost                 = uint64_t;
inline constexpr Cost kFar = std::numeric_limits<Cost>::max();  // there is no way

Cost cost_of(Seconds latency, size_t links);
// Added to the cost of a link that leads a device to its host, and not to other accelerators alone: more than all
// latencies of a way together, so that messages between devices go over PCIe only where nothing else joins them. A way
// has at most two such links, as no device forwards.
inline constexpr Cost kToHost = Cost{1} << 62;
// The latency of a way of that cost and of at most 255 links.
Seconds latency_of(Cost cost);
inline Cost add(Cost a, Cost b) { return a == kFar || b == kFar ? kFar : a + b; }

// A connection of two vertices, in both directions.
struct Wire {
  int a, b;
  Cost forth, back;  // from a to b, from b to a; above zero
};

// A wire as one of its ends sees it.
struct Arc {
  int to;
  int step;          // 2 * index of the wire + (0: from a to b, 1: from b to a)
  Cost there, back;  // to `to`, from `to`
};

class Network {
 public:
  Network() : first_(1) {}
  // `forwards[v]`: messages may pass through v; any vertex may send and receive.
  Network(std::span<const Wire> wires, std::vector<char> forwards);

  int size() const { return static_cast<int>(forwards_.size()); }
  // In the order of the wires.
  std::span<const Arc> arcs(int vertex) const {
    const auto at = static_cast<size_t>(vertex);
    return {arcs_.data() + first_[at], arcs_.data() + first_[at + 1]};
  }
  bool forwards(int vertex) const { return nth(forwards_, vertex) != 0; }

 private:
  std::vector<char> forwards_;
  std::vector<size_t> first_;  // of each vertex's arcs
  std::vector<Arc> arcs_;
};

// Costs to one target, found from it outwards and only as far as they are asked for (Dijkstra 1959).
class CostsTo {
 public:
  CostsTo(const Network& network, int target);

  // Makes sure of costs()[from] and of all that are smaller.
  void reach(const Network& network, int from);
  // By vertex: exact where reach() made sure, else not too small.
  const std::vector<Cost>& costs() const { return costs_; }

 private:
  using Entry = std::pair<Cost, int>;
  int target_;
  std::vector<Cost> costs_;
  std::vector<char> sure_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> frontier_;
};

// From every vertex to `target`.
std::vector<Cost> costs_to(const Network& network, int target);

// Follows a shortest path; `left` holds costs to `to`, sure up to `from` and finite there. Where several ways are
// equal, choose(vertex, ways) says which, counted in the order of the wires. visit(step) is called for every wire
// crossed.
template <class Choose, class Visit>
void walk(const Network& network, std::span<const Cost> left, int from, int to, Choose choose, Visit visit) {
  for (int at = from; at != to;) {
    const Cost here  = nth(left, at);
    const auto leads = [&](const Arc& arc) {
      return arc.there <= here && nth(left, arc.to) == here - arc.there && (arc.to == to || network.forwards(arc.to));
    };
    const auto arcs   = network.arcs(at);
    auto way          = std::find_if(arcs.begin(), arcs.end(), leads);
    const size_t ways = 1 + static_cast<size_t>(std::count_if(way + 1, arcs.end(), leads));
    for (size_t skip = ways == 1 ? 0 : choose(at, ways); skip > 0; --skip)
      way = std::find_if(way + 1, arcs.end(), leads);
    visit(way->step);
    at = way->to;
  }
}

}  // namespace foreflow::platform
