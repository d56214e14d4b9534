#include "simulate/engines/network_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "simulate/streams/stuck.h"

namespace foreflow::simulate {

NetworkSimulation::NetworkSimulation(const SimulationInput& input, const Network& network,
                                     const ExternalEvents& external_events, bool courses)
    : input_(input),
      network_(network),
      external_(external_events),
      states_(input.program, input.participants, input.times, input.options),
      traffic_(network.capacities),
      courses_(input.footprints.relays.size()),
      with_courses_(courses),
      occupancy_(network.capacities.size()) {
  result_.ends.resize(input.participants.meetings.size(), 0);
  if (!input.options.makespan) result_.flows.reserve(count_flows());
  set_change_alarm();
  for (size_t i = 0; i < external_events.sources.size(); ++i)
    traffic_.alarm(external_events.sources[i].first, {kSource, static_cast<int32_t>(i), 0, true});
  play();
}

// But for relays, of which each hop has one.
size_t NetworkSimulation::count_flows() const {
  std::vector<size_t> of_footprint;
  for (const Footprint& print : input_.footprints.distinct) {
    const auto phases = input_.footprints.phases_of(print);
    of_footprint.push_back(static_cast<size_t>(
        std::count_if(phases.begin(), phases.end(), [](const Phase& phase) { return phase.load >= 0; })));
  }
  size_t flows = 0;
  for (const Participants::Meeting& meeting : input_.participants.meetings) {
    if (meeting.signals < 0) flows += nth(of_footprint, nth(input_.footprints.of_instance, meeting.example));
  }
  return flows;
}

double NetworkSimulation::next() const {
  if (states_.finished() || flooding_ >= 0 || mistaken_) return EventQueue::kNever;
  // Background traffic may never end; it counts only as long as the program can make progress.
  const bool hopeless = !traffic_.moving() && next_change_ == external_.changes.size();
  return hopeless ? EventQueue::kNever : traffic_.next();
}

void NetworkSimulation::advance() {
  clock_ = traffic_.next();
  traffic_.advance([this](const Traffic::Tag& tag, double now) { happened(tag, now); }, [this] { play(); },
                   [this](const Traffic::Tag& tag, double change, double now) { paced(tag, change, now); });
}

void NetworkSimulation::play() {
  states_.play([this](int32_t meeting, double start) { return enter(meeting, footprint(meeting).first, start); });
}

std::optional<double> NetworkSimulation::enter(int32_t meeting, int32_t index, double now) {
  const Footprint& print = footprint(meeting);
  for (const int32_t stop = print.first + print.count; index < stop; ++index) {
    const Phase& next = phase(index);
    if (next.relay >= 0) {
      start_relay(meeting, index, now);
      return std::nullopt;
    }
    now += next.delay_at(now);
    if (next.load < 0) continue;
    const int32_t flow = track(meeting, index, next.load, now);
    claim(next.load);
    const auto over = static_cast<size_t>(route(next.load));
    if (!network_.exclusive[over]) {
      traffic_.send(now, way(next.load, now, nth(tracks_, flow).path), load(next.load).unit * print.bytes.value(),
                    {kPhase, flow, 0, false});
      return std::nullopt;
    }
    if (input_.options.observe) nth(tracks_, flow).paces.push_back({Seconds(now), print.bytes / next.alone});
    now += next.alone.value();
    record(flow, now);
  }
  return nth(result_.ends, meeting) = now;
}

void NetworkSimulation::happened(const Traffic::Tag& tag, double now) {
  switch (static_cast<Kind>(tag.kind)) {
    case kPhase: {
      const auto [meeting, phase] = std::pair(nth(tracks_, tag.number).meeting, nth(tracks_, tag.number).phase);
      record(tag.number, now);
      return next_phase(meeting, phase, now);
    }
    case kRelay: return start_relay(tag.number, tag.part, now);
    case kPiece: return piece_arrived(tag.number, static_cast<size_t>(tag.part), now);
    case kCourse: return end_course(tag.number, now);
    case kChange: return change(now);
    case kSource: return send_foreign(tag.number, now);
    case kForeign:
      leave(nth(paths_, tag.part).load);
      free_path(tag.part);
      --foreign_;
      return;
  }
}

void NetworkSimulation::next_phase(int32_t meeting, int32_t phase, double now) {
  if (const std::optional<double> end = enter(meeting, phase + 1, now)) states_.finish(meeting, *end);
}

void NetworkSimulation::set_change_alarm() {
  if (next_change_ < external_.changes.size())
    traffic_.alarm(external_.changes[next_change_].at, {kChange, 0, 0, true});
}

void NetworkSimulation::change(double now) {
  const auto& changes = external_.changes;
  for (; next_change_ < changes.size() && changes[next_change_].at <= now; ++next_change_) {
    const ExternalEvents::Change& one = changes[next_change_];
    if (one.load < 0) {
      traffic_.set_capacity(one.link, one.capacity);
      continue;
    }
    for (const Path& path : paths_) {
      if (path.load == one.load) limit(path, one.capacity);
    }
  }
  set_change_alarm();
}

void NetworkSimulation::send_foreign(int32_t number, double now) {
  const ExternalEvents::Source& source = nth(external_.sources, number);
  if (foreign_ == kMostForeign) flooding_ = number;
  ++foreign_;
  const double own    = source.limit > 0 ? source.limit : std::numeric_limits<double>::infinity();
  const int32_t place = take_path(source.load, own, now);
  claim(source.load);
  traffic_.send(now, nth(paths_, place).route, source.bytes, {kForeign, number, place, true});
  if (source.period > 0 && now + source.period < source.until)
    traffic_.alarm(now + source.period, {kSource, number, 0, true});
}

int32_t NetworkSimulation::take_path(int32_t number, double own, double now) {
  if (free_paths_.empty()) {
    free_paths_.push_back(static_cast<int32_t>(paths_.size()));
    paths_.push_back({{{traffic_.add_link(0), 1}}, -1, 0});
  }
  const int32_t place   = free_paths_.back();
  Path& path            = nth(paths_, place);
  const int32_t limiter = path.route.front().link;
  free_paths_.pop_back();
  path.route = nth(network_.routes, route(number));
  path.route.insert(path.route.begin(), {limiter, 1});
  path.load = number;
  path.own  = own;
  limit(path, load(number).limit_at(now));
  return place;
}

void NetworkSimulation::free_path(int32_t place) {
  nth(paths_, place).load = -1;
  free_paths_.push_back(place);
}

void NetworkSimulation::limit(const Path& path, double limit) {
  traffic_.set_capacity(path.route.front().link, std::min({limit, path.own, std::numeric_limits<double>::max()}));
}

const Network::Route& NetworkSimulation::way(int32_t number, double now, int32_t& path) {
  if (!load(number).is_limited()) return nth(network_.routes, route(number));
  path = take_path(number, std::numeric_limits<double>::infinity(), now);
  return nth(paths_, path).route;
}

int32_t NetworkSimulation::track(int32_t meeting, int32_t phase, int32_t load, double start) {
  if (free_tracks_.empty()) {
    free_tracks_.push_back(static_cast<int32_t>(tracks_.size()));
    tracks_.emplace_back();
  }
  const int32_t number = free_tracks_.back();
  free_tracks_.pop_back();
  nth(tracks_, number) = {meeting, phase, load, start, 0, {}, -1};
  return number;
}

void NetworkSimulation::record(int32_t number, double end) {
  Track& done = nth(tracks_, number);
  if (!input_.options.makespan)
    result_.flows.push_back({done.meeting, done.phase - footprint(done.meeting).first, done.load, Seconds(done.start),
                             Seconds(end), phase(done.phase).alone});
  if (input_.options.observe) {
    if (done.paces.back().from == Seconds(end)) done.paces.pop_back();
    result_.paces.push_back(std::move(done.paces));
  }
  leave(done.load);
  if (done.path >= 0) free_path(done.path);
  free_tracks_.push_back(number);
}

void NetworkSimulation::paced(const Traffic::Tag& tag, double change, double now) {
  if (!input_.options.observe || (tag.kind != kPhase && tag.kind != kPiece)) return;
  const int32_t number = tag.kind == kPhase ? tag.number : nth(nth(runs_, tag.number).tracks, tag.part);
  Track& flow          = nth(tracks_, number);
  flow.pace += change / load(flow.load).unit;
  if (!flow.paces.empty() && flow.paces.back().from == Seconds(now)) flow.paces.pop_back();
  flow.paces.push_back({Seconds(now), BytesPerSecond(flow.pace)});
}

SimulationResult NetworkSimulation::take() && {
  if (!states_.finished()) {
    if (flooding_ >= 0) refuse_flood(flooding_);
    traffic_.for_all_held_up([this](const Traffic::Tag& tag, int32_t link) {
      const int32_t meeting = tag.kind == kPhase ? nth(tracks_, tag.number).meeting : nth(runs_, tag.number).meeting;
      const auto& instance =
          input_.program.instances[static_cast<size_t>(nth(input_.participants.meetings, meeting).example)];
      throw PartError(
          fmt::format("stream {}", nth(input_.program.streams, instance.members[0]).name),
          fmt::format("{} never ends: {} is down for good; let its trace repair it",
                      nth(input_.program.communications, instance.communication).name,
                      static_cast<size_t>(link) < external_.link_of.size() ? "link " + nth(external_.link_of, link)
                                                                           : "a fat pipe on its way"));
    });
    states_.refuse_stuck();
  }
  result_.makespan = states_.last();
  result_.starts   = states_.starts();
  result_.busy     = std::move(states_).busy();
  return std::move(result_);
}

}  // namespace foreflow::simulate
