// The relays of a NetworkSimulation: rings whose hops are flows of their own.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "foreflow/base/nth.h"
#include "simulate/engines/network_simulation.h"

namespace foreflow::simulate {

void NetworkSimulation::start_relay(int32_t meeting, int32_t index, double now) {
  if (now > clock_) return traffic_.alarm(now, {kRelay, meeting, index, false});  // who is on its links is known then
  const RelayPlan& plan = nth(input_.footprints.relays, phase(index).relay);
  const auto number     = static_cast<int32_t>(runs_.size());
  const bool alone      = std::all_of(plan.loads.begin(), plan.loads.end(),
                                      [&](int32_t hop) { return occupancy_.free(crossed(hop), now); });
  // Pieces that share a link are sensitive to rounding, and so to whether courses are known: the one of eight that
  // starts first ends eight times as long before the others. A few slow rings beside whole flows are not.
  if (with_courses_ && !alone && input_.options.coupling != Coupling::automatic) {
    mistaken_ = true;
    return;
  }
  Run& run = runs_.emplace_back(Run{Relay(plan.rings, plan.shape, alone), meeting, index, now, {}});
  if (const LoneRelay* const course = alone ? course_of(run) : nullptr) {
    for (size_t hop = 0; hop < plan.loads.size(); ++hop)
      occupancy_.hold(crossed(plan.loads[hop]), number, now + course->hops()[hop].end);
    return traffic_.alarm(now + course->duration(), {kCourse, number, 0, false});
  }
  for (const int32_t hop : plan.loads) {
    if (alone) {
      occupancy_.hold(crossed(hop), number, EventQueue::kNever);
      occupancy_.enter(crossed(hop));
    } else {
      claim(hop);
    }
    run.tracks.push_back(track(meeting, index, hop, EventQueue::kNever));
    way(hop, now, nth(tracks_, run.tracks.back()).path);
  }
  run.relay.start_all([&](size_t hop, bool first) { send_piece(number, hop, first, now); });
}

void NetworkSimulation::send_piece(int32_t number, size_t hop, bool first, double now) {
  const Run& run        = nth(runs_, number);
  const RelayPlan& plan = nth(input_.footprints.relays, phase(run.phase).relay);
  const double start    = first ? now + value_of(plan.latencies, now, plan.latency.value()) : now;
  Track& of_hop         = nth(tracks_, run.tracks[hop]);
  if (of_hop.start == EventQueue::kNever) of_hop.start = start;
  const Bytes piece = footprint(run.meeting).bytes / plan.shape.pieces();
  traffic_.send(start, way_of(run, hop), load(of_hop.load).unit * piece.value(),
                {kPiece, number, static_cast<int32_t>(hop), false});
}

const Network::Route& NetworkSimulation::way_of(const Run& run, size_t hop) const {
  const Track& track = nth(tracks_, run.tracks[hop]);
  return track.path < 0 ? crossed(track.load) : nth(paths_, track.path).route;
}

void NetworkSimulation::piece_arrived(int32_t number, size_t hop, double now) {
  Run& run       = nth(runs_, number);
  const bool all = run.relay.arrive(hop, [&](size_t started, bool first) { send_piece(number, started, first, now); });
  if (run.relay.done(hop)) record(run.tracks[hop], now);
  if (all) next_phase(run.meeting, run.phase, now);
}

void NetworkSimulation::claim(int32_t number) {
  if (courses_.empty()) return;
  const Network::Route& route = crossed(number);
  for (int32_t run = 0; (run = occupancy_.holder(route, clock_)) >= 0;) meet_others(run);
  occupancy_.enter(route);
}

void NetworkSimulation::leave(int32_t number) {
  if (!courses_.empty()) occupancy_.leave(crossed(number));
}

void NetworkSimulation::meet_others(int32_t number) {
  Run& run = nth(runs_, number);
  for (const int32_t hop : nth(input_.footprints.relays, phase(run.phase).relay).loads)
    occupancy_.give_back(crossed(hop), number);
  mistaken_ |= with_courses_ && input_.options.coupling != Coupling::automatic;
  if (mistaken_) return;
  if (run.tracks.empty() && !leave_course(number)) return;
  run.relay.meet_others();
  run.relay.start_all([&](size_t hop, bool first) { send_piece(number, hop, first, clock_); });
}

const LoneRelay* NetworkSimulation::course_of(const Run& run) {
  if (!with_courses_ || next_change_ < external_.changes.size()) return nullptr;
  std::unique_ptr<Course>& course = nth(courses_, phase(run.phase).relay);
  if (course == nullptr) course = std::make_unique<Course>(lone_plan(run));
  return course->known();
}

LoneRelayPlan NetworkSimulation::lone_plan(const Run& run) const {
  const RelayPlan& plan = nth(input_.footprints.relays, phase(run.phase).relay);
  LoneRelayPlan result{plan.shape, plan.rings, {}, {}, {}, value_of(plan.latencies, run.start, plan.latency.value())};
  const Bytes piece = footprint(run.meeting).bytes / plan.shape.pieces();
  std::map<int32_t, int32_t> links;  // their numbers in the plan
  for (const int32_t hop : plan.loads) {
    Network::Route& route = result.routes.emplace_back();
    result.amounts.push_back(load(hop).unit * piece.value());
    if (load(hop).is_limited()) {
      route.push_back({static_cast<int32_t>(result.capacities.size()), 1});
      result.capacities.push_back(std::min(load(hop).limit_at(run.start), std::numeric_limits<double>::max()));
    }
    for (const auto& [link, weight] : crossed(hop)) {
      const auto [known, is_new] = links.emplace(link, static_cast<int32_t>(result.capacities.size()));
      if (is_new) result.capacities.push_back(traffic_.capacity(link));
      result.shares_links |= !is_new;
      route.push_back({known->second, weight});
    }
  }
  return result;
}

void NetworkSimulation::end_course(int32_t number, double now) {
  const Run& run = nth(runs_, number);
  if (!run.tracks.empty()) return;  // it has left its course
  const RelayPlan& plan   = nth(input_.footprints.relays, phase(run.phase).relay);
  const LoneRelay& course = *nth(courses_, phase(run.phase).relay)->known();
  for (size_t hop = 0; hop < plan.loads.size(); ++hop) {
    occupancy_.give_back(crossed(plan.loads[hop]), number);
    record_hop(run, plan.loads[hop], course.hops()[hop]);
  }
  next_phase(run.meeting, run.phase, now);
}

bool NetworkSimulation::leave_course(int32_t number) {
  Run& run              = nth(runs_, number);
  const RelayPlan& plan = nth(input_.footprints.relays, phase(run.phase).relay);
  const LoneRelay until_now(nth(courses_, phase(run.phase).relay)->plan, clock_ - run.start);
  if (until_now.done()) return false;
  run.relay = until_now.relay();
  for (size_t hop = 0; hop < plan.loads.size(); ++hop) {
    const int32_t load = plan.loads[hop];
    if (run.relay.done(hop)) {
      record_hop(run, load, until_now.hops()[hop]);
      run.tracks.push_back(-1);
      continue;
    }
    occupancy_.enter(crossed(load));
    run.tracks.push_back(track(run.meeting, run.phase, load, run.start + until_now.hops()[hop].start));
    way(load, clock_, nth(tracks_, run.tracks.back()).path);
  }
  until_now.for_all_pieces([&](size_t hop, double begin, double left) {
    traffic_.send(std::max(run.start + begin, clock_), way_of(run, hop), left,
                  {kPiece, number, static_cast<int32_t>(hop), false});
  });
  return true;
}

void NetworkSimulation::record_hop(const Run& run, int32_t load, const LoneRelay::Hop& hop) {
  if (input_.options.makespan) return;
  result_.flows.push_back({run.meeting, run.phase - footprint(run.meeting).first, load, Seconds(run.start + hop.start),
                           Seconds(run.start + hop.end), phase(run.phase).alone});
}

}  // namespace foreflow::simulate
