#include "simulate/footprint/coupling.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "foreflow/base/nth.h"
#include "foreflow/stream/host_copy.h"
#include "foreflow/stream/task.h"
#include "simulate/routes/changing.h"

namespace foreflow::simulate {
namespace {

using Streams = std::vector<int32_t>;

// For each link, the streams that are members of every communication that crosses it.
class RegularTraffic {
 public:
  RegularTraffic(const Footprints& footprints, const ExecutionOf& execution_of, size_t links) : of_link_(links) {
    for (const Footprint& footprint : footprints.distinct) {
      const Streams members = execution_of(footprint.example).streams;
      for (const Phase& phase : footprints.phases_of(footprint)) {
        if (phase.load < 0) continue;
        for (const auto& crossing : nth(footprints.loads, phase.load).crossings)
          meet(nth(of_link_, crossing.link), members);
      }
    }
  }

  // True when other streams may use a link of the load at the same time.
  bool contended(const Load& load) const {
    return std::any_of(load.crossings.begin(), load.crossings.end(),
                       [&](const stream::Crossing& crossing) { return nth(of_link_, crossing.link)->empty(); });
  }

 private:
  static void meet(std::optional<Streams>& known, const Streams& members) {
    if (!known) {
      known = members;
      return;
    }
    Streams both;
    std::set_intersection(known->begin(), known->end(), members.begin(), members.end(), std::back_inserter(both));
    known = std::move(both);
  }

  std::vector<std::optional<Streams>> of_link_;
};

using Ring = std::vector<collective::Flow>;  // its hops, from hop to next hop

// The rings of flows of one size in which every rank sends and receives once; empty otherwise.
std::vector<Ring> circles(const std::vector<collective::Flow>& flows) {
  std::map<int, const collective::Flow*> from;
  for (const collective::Flow& flow : flows) {
    if (flow.share != flows.front().share || !from.emplace(flow.from, &flow).second) return {};
  }
  std::vector<Ring> rings;
  while (!from.empty()) {
    Ring& ring = rings.emplace_back();
    do {
      const auto next = from.find(ring.empty() ? from.begin()->first : ring.back().to);
      if (next == from.end()) return {};
      ring.push_back(*next->second);
      from.erase(next);
    } while (ring.back().to != ring.front().from);
  }
  return rings;
}

// The channels of the group, when the flows are what they send together; otherwise none.
std::vector<Ring> channels(const std::vector<collective::Flow>& flows, const collective::Group& group) {
  std::map<std::pair<int, int>, int> times;
  int hops = 0;
  for (const auto& order : group.rings) {
    for (size_t i = 0; i < order.size(); ++i, ++hops) ++times[{order[i], order[(i + 1) % order.size()]}];
  }
  double all = 0;
  for (const collective::Flow& flow : flows) all += flow.share;
  const double share         = all / hops;
  constexpr double kRounding = 1e-9;
  const bool same =
      times.size() == flows.size() && std::all_of(flows.begin(), flows.end(), [&](const auto& flow) {
        const auto found = times.find({flow.from, flow.to});
        return found != times.end() && std::abs(flow.share - found->second * share) <= kRounding * flow.share;
      });
  std::vector<Ring> rings;
  for (size_t number = 0; same && number < group.rings.size(); ++number) {
    const auto& order = group.rings[number];
    Ring& ring        = rings.emplace_back();
    for (size_t i = 0; i < order.size(); ++i) ring.push_back({order[i], order[(i + 1) % order.size()], share});
  }
  return rings;
}

std::vector<Ring> rings_of(const std::vector<collective::Flow>& flows, const collective::Group& group) {
  std::vector<Ring> rings = circles(flows);
  if (rings.empty() && group.rings.size() > 1) rings = channels(flows, group);
  return rings;
}

RelayShape shape_of(Coupling coupling, int steps, Bytes chunk) {
  if (coupling == Coupling::stepwise) return {steps, 1, 1, RelayShape::kUnlimited};
  const Bytes slice(1e6);        // of NCCL's protocol Simple: a buffer of 4 MiB in 8 slots, two slots at a time
  constexpr int32_t kSlots = 8;  // NCCL_STEPS
  const auto slices        = static_cast<int32_t>(std::max(1.0, std::ceil(chunk / slice)));
  return {steps, slices, std::min(kSlots, slices), kSlots};
}

class Decoupler {
 public:
  Decoupler(Footprints& footprints, const ExecutionOf& execution_of, const platform::Platform& platform,
            Coupling coupling, const std::vector<LinkTrace>& traces)
      : footprints_(footprints),
        execution_of_(execution_of),
        platform_(platform),
        coupling_(coupling),
        changing_messages_(platform, traces) {
    for (const LinkTrace& trace : traces) changing_.insert(trace.link);
  }

  // A quick test: false when no phase can become a relay.
  bool worth(const Footprint& footprint) const {
    const auto phases = footprints_.phases_of(footprint);
    return std::any_of(phases.begin(), phases.end(), [this](const Phase& phase) { return may_differ(phase); });
  }

  void decouple_rings(const Footprint& footprint) {
    const Execution execution                  = execution_of_(footprint.example);
    const stream::Communication& communication = *execution.communication;
    if (communication.fixed || stream::host_copy(communication) != stream::HostCopy::none) return;
    const auto placed =
        stream::place(platform_, *communication.algorithm, communication.kind, communication.bytes, execution.places);
    const auto plan = placed.algorithm->flows(placed.task);
    // One phase more where something passes before the first message.
    const size_t first = static_cast<size_t>(footprint.first + footprint.count) - plan.phases.size();
    for (size_t i = 0; i < plan.phases.size(); ++i) {
      Phase& phase = footprints_.phases[first + i];
      if (chosen(phase)) add_relay(phase, plan.phases[i], placed, footprint.bytes);
    }
  }

 private:
  // True when hops may differ in speed. Used by the automatic coupling only.
  bool may_differ(const Phase& phase) const {
    if (phase.load < 0) return false;
    if (coupling_ != Coupling::automatic || phase.uneven) return true;
    if (changing_.empty()) return false;
    const auto& crossings = nth(footprints_.loads, phase.load).crossings;
    return std::any_of(crossings.begin(), crossings.end(),
                       [this](const stream::Crossing& crossing) { return changing_.contains(crossing.link); });
  }

  bool chosen(const Phase& phase) {
    if (!may_differ(phase)) return false;
    if (coupling_ != Coupling::automatic) return true;
    if (regular_traffic_ == nullptr)
      regular_traffic_ = std::make_unique<RegularTraffic>(footprints_, execution_of_, platform_.links().size());
    return regular_traffic_->contended(nth(footprints_.loads, phase.load));
  }

  void add_relay(Phase& phase, const collective::Phase& plan, const stream::Placed& placed, Bytes bytes) {
    const auto rings = rings_of(plan.flows, placed.task.group);
    const int steps  = plan.near_steps + plan.far_steps;
    if (rings.empty() || steps < 1 || plan.head > 0) return;
    if (coupling_ == Coupling::automatic && rings.size() > 1) return;
    const double share     = rings.front().front().share;
    const RelayShape shape = shape_of(coupling_, steps, share * bytes / steps);
    RelayPlan relay{shape, phase.delay / steps, {}, {}, {}};
    for (const Timed& one : phase.delays) relay.latencies.push_back({one.at, one.value / steps});
    std::vector<Load> loads;
    for (const Ring& ring : rings) {
      if (ring.size() < 2) return;
      relay.rings.push_back(static_cast<int32_t>(ring.size()));
      for (const collective::Flow& hop : ring) {
        const Message message               = message_of(hop, placed);
        const std::map<int, double> weights = weights_of(message);
        if (weights.empty()) return;  // inside a device
        // All slices under way on a hop weigh together as much as one message.
        Load& load = loads.emplace_back(Load{{}, share * shape.under_way});
        if (plan.least > Seconds(0)) load.limit = share * bytes / plan.least;
        for (const auto& [link, weight] : weights) {
          load.crossings.push_back({link, weight});
          limit(load, link, weight);
        }
        if (message.route.limit > BytesPerSecond(0)) limit(load, load.unit / hop.share * message.route.limit);
        load.limits = changing_messages_.limits(message, load.unit);
        for (Timed& one : load.limits) {
          if (plan.least > Seconds(0)) one.value = std::min(one.value, (share * bytes / plan.least).value());
        }
      }
    }
    for (Load& load : loads) {
      relay.loads.push_back(static_cast<int32_t>(footprints_.loads.size()));
      footprints_.loads.push_back(std::move(load));
    }
    phase.relay = static_cast<int32_t>(footprints_.relays.size());
    footprints_.relays.push_back(std::move(relay));
  }

  void limit(Load& load, int link, double weight) const {
    const platform::Link& crossed = platform_.links().like(static_cast<size_t>(link));
    if (crossed.fat) limit(load, load.unit / weight * crossed.payload());
  }
  static void limit(Load& load, BytesPerSecond own) {
    if (load.limit == BytesPerSecond(0) || own < load.limit) load.limit = own;
  }

  Message message_of(const collective::Flow& hop, const stream::Placed& placed) const {
    const auto from = static_cast<size_t>(hop.from), to = static_cast<size_t>(hop.to);
    const auto& node = placed.task.group.node;
    return {platform_.route(placed.places[from], placed.places[to]), node[from] != node[to], hop.share};
  }
  static std::map<int, double> weights_of(const Message& message) {
    std::map<int, double> weights;
    for (const int link : message.route.links) weights[link] += message.share;
    return weights;
  }

  Footprints& footprints_;
  const ExecutionOf& execution_of_;
  const platform::Platform& platform_;
  Coupling coupling_;
  std::set<int32_t> changing_;  // links
  Changing changing_messages_;
  std::unique_ptr<RegularTraffic> regular_traffic_;  // made when asked for
};

}  // namespace

void decouple_rings(Footprints& footprints, const ExecutionOf& execution_of, const platform::Platform& platform,
                    Coupling coupling, const std::vector<LinkTrace>& traces) {
  if (coupling == Coupling::coupled) return;
  Decoupler decoupler(footprints, execution_of, platform, coupling, traces);
  for (const Footprint& footprint : footprints.distinct) {
    if (decoupler.worth(footprint)) decoupler.decouple_rings(footprint);
  }
}

void decouple_rings(Footprints& footprints, const stream::Program& program, const platform::Platform& platform,
                    Coupling coupling, const std::vector<LinkTrace>& traces) {
  const auto execution_of = [&program](int32_t example) {
    const stream::Instance& instance = nth(program.instances, example);
    Execution execution{&nth(program.communications, instance.communication), instance.members,
                        places_of(program, instance)};
    std::sort(execution.streams.begin(), execution.streams.end());
    return execution;
  };
  decouple_rings(footprints, execution_of, platform, coupling, traces);
}

}  // namespace foreflow::simulate
