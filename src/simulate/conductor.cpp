#include "simulate/conductor.h"

#include <utility>

namespace foreflow::simulate {

Conductor::Conductor(const Score& score, const Network& network)
    : score_(score),
      network_(network),
      players_(score.program, score.cast, score.times),
      shares_(network.capacities) {
  result_.ends.resize(score.cast.meetings.size(), 0);
  play();
  share(0);
}

void Conductor::play() {
  players_.play([this](int32_t meeting, double start) {
    const Footprint& print = footprint(meeting);
    return enter(meeting, print.first, start);
  });
}

// Goes on with the communication from `phase` on, at `now`. Its end, or Players::kLater when a flow comes first.
double Conductor::enter(int32_t meeting, int32_t phase, double now) {
  const Footprint& print = footprint(meeting);
  for (const int32_t stop = print.first + print.count; phase < stop; ++phase) {
    const Phase& next = score_.footprints.phases[static_cast<size_t>(phase)];
    now += next.delay.value();
    if (next.load < 0) continue;
    if (!network_.exclusive[static_cast<size_t>(route(next))]) {
      announce(meeting, phase, now);
      return Players::kLater;
    }
    const double start = now;
    now += next.alone.value();
    record(meeting, phase, start, now);
    if (score_.options.observe) result_.paces.push_back({{Seconds(start), print.bytes / next.alone}});
  }
  return result_.ends[static_cast<size_t>(meeting)] = now;
}

void Conductor::announce(int32_t meeting, int32_t phase, double date) {
  if (free_.empty()) {
    free_.push_back(static_cast<int32_t>(legs_.size()));
    legs_.emplace_back();
  }
  const int32_t number = free_.back();
  free_.pop_back();
  Leg& leg    = legs_[static_cast<size_t>(number)];
  leg.meeting = meeting;
  leg.phase   = phase;
  leg.flow    = -1;
  agenda_.set(number, date);
}

void Conductor::advance() {
  const double now = agenda_.next();
  while (agenda_.next() <= now) {
    while (agenda_.next() <= now) {
      const int32_t leg = agenda_.first();
      agenda_.erase(leg);
      legs_[static_cast<size_t>(leg)].flow < 0 ? begin(leg, now) : complete(leg, now);
    }
    play();
  }
  share(now);
}

void Conductor::begin(int32_t number, double now) {
  Leg& leg           = legs_[static_cast<size_t>(number)];
  const Phase& phase = score_.footprints.phases[static_cast<size_t>(leg.phase)];
  const Load& load   = score_.footprints.loads[static_cast<size_t>(phase.load)];
  leg.flow           = shares_.add(network_.routes[static_cast<size_t>(route(phase))]);
  leg.left           = load.unit * footprint(leg.meeting).bytes.value();
  leg.begun = leg.since = now;
  leg.rate              = 0;
  if (static_cast<size_t>(leg.flow) >= leg_of_flow_.size()) leg_of_flow_.resize(static_cast<size_t>(leg.flow) + 1);
  leg_of_flow_[static_cast<size_t>(leg.flow)] = number;
}

void Conductor::complete(int32_t number, double now) {
  Leg& leg = legs_[static_cast<size_t>(number)];
  shares_.remove(leg.flow);
  record(leg.meeting, leg.phase, leg.begun, now);
  if (score_.options.observe) result_.paces.push_back(std::exchange(leg.paces, {}));
  free_.push_back(number);
  const int32_t meeting = leg.meeting;
  const double end      = enter(meeting, leg.phase + 1, now);
  if (end != Players::kLater) players_.finish(meeting, end);
}

// Gives every flow its rate, and a new date to those whose rate changes.
void Conductor::share(double now) {
  for (const int32_t flow : shares_.update()) {
    const int32_t number = leg_of_flow_[static_cast<size_t>(flow)];
    Leg& leg             = legs_[static_cast<size_t>(number)];
    const double rate    = shares_.rate(flow);
    if (rate == leg.rate) continue;
    leg.left -= leg.rate * (now - leg.since);
    leg.since = now;
    leg.rate  = rate;
    agenda_.set(number, now + std::max(leg.left, 0.0) / rate);
    if (!score_.options.observe) continue;
    const Phase& phase = score_.footprints.phases[static_cast<size_t>(leg.phase)];
    leg.paces.push_back(
        {Seconds(now), BytesPerSecond(rate / score_.footprints.loads[static_cast<size_t>(phase.load)].unit)});
  }
}

void Conductor::record(int32_t meeting, int32_t phase, double start, double end) {
  const Phase& done = score_.footprints.phases[static_cast<size_t>(phase)];
  result_.flows.push_back(
      {meeting, phase - footprint(meeting).first, done.load, Seconds(start), Seconds(end), done.alone});
}

Performance Conductor::take() && {
  if (!players_.finished()) players_.refuse_stuck();
  result_.starts = players_.starts();
  return std::move(result_);
}

}  // namespace foreflow::simulate
