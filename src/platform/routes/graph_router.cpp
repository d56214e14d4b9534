#include "platform/routes/graph_router.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "platform/routes/connected.h"
#include "platform/routes/straight_ways.h"

namespace foreflow::platform {
namespace {

const Graph& with_devices_first(const Graph& graph, size_t devices) {
  for (size_t v = 0; v < graph.vertices.size(); ++v) {
    const int expected = v < devices ? static_cast<int>(v) : -1;
    FOREFLOW_CHECK(graph.vertices[v].device == expected, "a graph has the devices first, in their order");
  }
  FOREFLOW_CHECK(graph.vertices.size() >= devices, "a graph has a vertex for each device");
  return graph;
}

// Everything that stays the same from route to route.
class GraphRouter {
 public:
  GraphRouter(Parts parts, CoreWays core, Wiring wiring, const EcmpRule& rule)
      : parts_(std::move(parts)), core_(std::move(core)), wiring_(std::move(wiring)), rule_(rule) {}

  // `from` and `to` are devices, which are also the first vertices.
  Route route(int from, int to) const {
    Route route{{}, Seconds(0)};
    if (from == to) return route;
    route.links.reserve(kUsualLinks);
    const IslandPlace a = nth(parts_.places, from), b = nth(parts_.places, to);
    const Island& home = nth(parts_.islands, a.island);
    const Flow flow{static_cast<uint64_t>(from), static_cast<uint64_t>(to), wiring_.rail(to)};
    if (a.island == b.island && left(home, b.index, a.index) != kFar) {
      walk_inside(home, a.index, b.index, flow, route.links);
    } else {
      walk_outside(a, b, flow, route.links);
    }
    for (const int link : route.links) route.latency += wiring_.latency(link);
    return route;
  }

 private:
  static constexpr size_t kUsualLinks = 8;  // of a route between servers; a guess that saves allocations

  struct Ports {
    int first, last;  // doors of the two islands
  };

  const Shape& shape(const Island& island) const { return nth(parts_.shapes, island.shape); }
  Cost left(const Island& island, int to, int from) const { return nth(nth(shape(island).left, to), from); }
  void cross(int step, std::vector<int>& links) const {
    if (step >= 0) wiring_.cross(step, links);
  }

  void walk_inside(const Island& island, int from, int to, Flow flow, std::vector<int>& links) const {
    const auto cross_own = [&](int step) { cross(2 * nth(island.edges, step / 2) + step % 2, links); };
    if (const auto way = straight_.between(shape(island), static_cast<size_t>(island.shape), from, to)) {
      for (const int step : *way) cross_own(step);
      return;
    }
    walk(
        shape(island).network, nth(shape(island).left, to), from, to,
        [&](int vertex, size_t ways) {
          return rule_.take(flow, static_cast<uint64_t>(nth(island.vertices, vertex)), ways);
        },
        cross_own);
  }

  // All pairs of ports of the least cost; none when no two meet. Where devices relay, the sender's node does it, as
  // with NCCL's PXN: messages come in nearest to where they go.
  std::vector<Ports> best_ports(const IslandPlace& from, const IslandPlace& to) const {
    const Island& a      = nth(parts_.islands, from.island);
    const Island& b      = nth(parts_.islands, to.island);
    const auto& leaving  = nth(shape(a).leaving, from.index);
    const auto& entering = nth(shape(b).entering, to.index);
    std::vector<Ports> best;
    const bool relays = shape(b).relays;
    Cost least = kFar, nearest = kFar;
    for (const auto& [out, first] : leaving) {
      for (const auto& [in, last] : entering) {
        if (out + in > least) break;
        const Cost between = core_.cost(nth(a.ports, first).at, nth(b.ports, last).at);
        const Cost cost    = add(out + in, between);
        if (cost == kFar || cost > least) continue;
        if (cost < least || (relays && in < nearest)) best.clear();
        if (cost == least && relays && nearest < in) continue;
        least   = cost;
        nearest = in;
        best.push_back({first, last});
      }
    }
    return best;
  }

  // Chooses the ports by rail: first at the sender, then at the receiver.
  static Ports choose(std::vector<Ports> equal, uint64_t from_rail, uint64_t to_rail) {
    if (equal.size() == 1) return equal.front();
    const auto keep = [&](int Ports::*door, uint64_t rail) {
      std::vector<int> doors;
      for (const Ports& ports : equal) doors.push_back(ports.*door);
      std::sort(doors.begin(), doors.end());
      doors.erase(std::unique(doors.begin(), doors.end()), doors.end());
      const int chosen = doors[rail % doors.size()];
      std::erase_if(equal, [&](const Ports& ports) { return ports.*door != chosen; });
    };
    keep(&Ports::first, from_rail);
    keep(&Ports::last, to_rail);
    return equal.front();
  }

  void walk_outside(const IslandPlace& from, const IslandPlace& to, Flow flow, std::vector<int>& links) const {
    std::vector<Ports> equal = best_ports(from, to);
    FOREFLOW_CHECK(!equal.empty(), "check_connected found a way");
    const uint64_t from_rail = wiring_.rail(static_cast<int>(flow.from)), to_rail = flow.quotient;
    const auto [first, last]   = choose(std::move(equal), from_rail, to_rail);
    const Island& a            = nth(parts_.islands, from.island);
    const Island& b            = nth(parts_.islands, to.island);
    const IslandPort& leaving  = nth(a.ports, first);
    const IslandPort& entering = nth(b.ports, last);

    flow.quotient = from_rail;
    walk_inside(a, from.index, nth(shape(a).doors, first).at, flow, links);
    cross(leaving.out_step, links);
    if (leaving.at != entering.at) {
      flow.quotient  = static_cast<uint64_t>(entering.number);
      flow.from_port = static_cast<uint64_t>(leaving.number);
      flow.to_port   = static_cast<uint64_t>(entering.number);
      walk_core(leaving.at, entering.at, flow, links);
    }
    cross(entering.in_step, links);
    flow.quotient = to_rail;
    walk_inside(b, nth(shape(b).doors, last).at, to.index, flow, links);
  }

  void walk_core(int from, int to, const Flow& flow, std::vector<int>& links) const {
    steps_.clear();
    core_.walk(from, to, flow, steps_);
    for (const int step : steps_) cross(step, links);
  }

  Parts parts_;
  CoreWays core_;
  Wiring wiring_;
  const EcmpRule& rule_;
  mutable std::vector<int> steps_;  // kept for its memory
  mutable StraightWays straight_;
};

// A file's graph, as tables.
Wiring wiring_of(std::shared_ptr<const Graph> graph, const List<Device>& devices, const List<Link>& links) {
  std::vector<uint64_t> rails;
  for (const Device& device : devices) rails.push_back(static_cast<uint64_t>(device.rail));
  std::vector<Seconds> latencies;
  for (const Link& link : links) latencies.push_back(link.latency);
  return {[graph = std::move(graph)](int step, std::vector<int>& crossed) {
            const Edge& edge             = nth(graph->edges, step / 2);
            const std::vector<int>& more = step % 2 == 0 ? edge.forth : edge.back;
            for (const int link : more) crossed.push_back(link);  // one, nearly always
          },
          [latencies = std::move(latencies)](int link) { return nth(latencies, link); },
          [rails = std::move(rails)](int device) { return nth(rails, device); }};
}

}  // namespace

Router make_router(Parts parts, CoreWays core, Wiring wiring, const EcmpRule& rule) {
  const auto router = std::make_shared<const GraphRouter>(std::move(parts), std::move(core), std::move(wiring), rule);
  return [router](int from, int to) { return router->route(from, to); };
}

Router make_router(std::shared_ptr<const Graph> graph, const List<Device>& devices, const List<Link>& links,
                   const std::string& name) {
  Parts parts = cut(with_devices_first(*graph, devices.size()), links, name);
  check_connected(parts, devices, name);
  const EcmpRule* rule = find_ecmp_rule(graph->ecmp);
  FOREFLOW_CHECK(rule != nullptr, "a graph names a rule of the table");
  CoreWays core = find_ways(std::move(parts.core), *rule);
  return make_router(std::move(parts), std::move(core), wiring_of(std::move(graph), devices, links), *rule);
}

}  // namespace foreflow::platform
