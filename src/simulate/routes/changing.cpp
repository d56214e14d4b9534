#include "simulate/routes/changing.h"

#include <algorithm>
#include <limits>
#include <set>

namespace foreflow::simulate {
namespace {

constexpr BytesPerSecond kAnyPace(std::numeric_limits<double>::infinity());

// The state of a link; null: as planned.
const LinkStep* step_at(const LinkTrace& trace, double now) {
  const LinkStep* found = nullptr;
  for (const LinkStep& step : trace.changes) {
    if (step.at > Seconds(now)) break;
    found = &step;
  }
  return found;
}

}  // namespace

Changing::Changing(const platform::Platform& platform, const std::vector<LinkTrace>& traces) : platform_(platform) {
  for (const LinkTrace& trace : traces) {
    const bool fat    = platform.links().like(static_cast<size_t>(trace.link)).fat;
    const bool delays = std::any_of(trace.changes.begin(), trace.changes.end(),
                                    [](const LinkStep& step) { return step.latency.has_value(); });
    if (fat || delays) traces_.emplace(trace.link, trace);
  }
}

bool Changing::crosses(const Message& message) const {
  return std::any_of(message.route.links.begin(), message.route.links.end(),
                     [this](int link) { return traces_.contains(link); });
}

void Changing::heed(const Message& message, double now, ChangedPhase& phase) const {
  const platform::Declared& declared = platform_.declared();
  const std::vector<int>& links      = message.route.links;
  Seconds longer(0);
  for (const int link : links) {
    const platform::Link& crossed = platform_.links().like(static_cast<size_t>(link));
    const auto trace              = traces_.find(link);
    const LinkStep* step          = trace == traces_.end() ? nullptr : step_at(trace->second, now);
    if (step != nullptr && step->latency) longer += *step->latency - crossed.latency;
    if (!crossed.fat) continue;
    const double weight = message.share * static_cast<double>(std::count(links.begin(), links.end(), link));
    phase.pace          = std::min(phase.pace, (step == nullptr ? 1 : step->factor) / weight * crossed.payload());
  }
  Seconds& latency    = message.leaves ? phase.far : phase.near;
  latency             = std::max(latency, platform_.step_latency(message.route) + declared.latency_factor * longer);
  const Seconds whole = message.route.latency + longer;
  if (message.leaves && declared.window > Bytes(0) && whole > Seconds(0))
    phase.pace = std::min(phase.pace, 1 / message.share * (declared.window / whole));
}

std::vector<ChangedPhase> Changing::phases(const std::vector<Message>& messages) const {
  std::vector<const Message*> changing;
  ChangedPhase constant{0, Seconds(0), Seconds(0), kAnyPace};
  std::set<double> times;
  for (const Message& message : messages) {
    if (!crosses(message)) {
      heed(message, 0, constant);
      continue;
    }
    changing.push_back(&message);
    for (const int link : message.route.links) {
      const auto trace = traces_.find(link);
      if (trace == traces_.end()) continue;
      for (const LinkStep& step : trace->second.changes) times.insert(step.at.value());
    }
  }
  std::vector<ChangedPhase> result;
  for (const double time : times) {
    ChangedPhase phase = constant;
    phase.at           = time;
    for (const Message* message : changing) heed(*message, time, phase);
    result.push_back(phase);
  }
  return result;
}

Course Changing::limits(const Message& message, double unit) const {
  Course result;
  for (const ChangedPhase& phase : phases({message})) result.push_back({phase.at, (unit * phase.pace).value()});
  return result;
}

}  // namespace foreflow::simulate
