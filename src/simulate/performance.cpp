#include "simulate/performance.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "foreflow/base/error.h"
#include "simulate/link_use.h"

namespace foreflow::simulate {
namespace {

constexpr size_t kArrays = 5;  // of a message, each with its length; the last two are short unless flows are observed

template <class T>
size_t bytes_of(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}

template <class T>
void append(std::string& message, const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const uint64_t count = values.size();
  message.append(reinterpret_cast<const char*>(&count), sizeof count);
  message.append(reinterpret_cast<const char*>(values.data()), bytes_of(values));
}

// Takes the next array off the front.
template <class T>
std::vector<T> take(std::string_view& message) {
  static_assert(std::is_trivially_copyable_v<T>);
  uint64_t count = 0;
  FOREFLOW_CHECK(message.size() >= sizeof count, "the message of a child is too short");
  std::memcpy(&count, message.data(), sizeof count);
  message.remove_prefix(sizeof count);
  FOREFLOW_CHECK(message.size() / sizeof(T) >= count, "the message of a child is too short");
  std::vector<T> values(count);
  if (count > 0) std::memcpy(static_cast<void*>(values.data()), message.data(), count * sizeof(T));
  message.remove_prefix(count * sizeof(T));
  return values;
}

// Indices of what belongs to each of `count` groups, in order: group g has members[first[g]] .. members[first[g + 1] -
// 1].
struct Groups {
  std::vector<size_t> first, members;
};

Groups by_meeting(const std::vector<stream::Flow>& flows, size_t meetings) {
  Groups groups{std::vector<size_t>(meetings + 1, 0), std::vector<size_t>(flows.size())};
  for (const stream::Flow& flow : flows) ++groups.first[static_cast<size_t>(flow.instance) + 1];
  std::partial_sum(groups.first.begin(), groups.first.end(), groups.first.begin());
  std::vector<size_t> next = groups.first;
  for (size_t i = 0; i < flows.size(); ++i) groups.members[next[static_cast<size_t>(flows[i].instance)]++] = i;
  return groups;
}

// Where a stream goes by what happened at an instance. Streams come to instances in another order than they are kept.
struct Outcome {
  int32_t meeting;
  int32_t signals;  // at a hand-over: who; else < 0
};

std::vector<Outcome> outcomes_of(const Score& score) {
  // Meetings say who signals, not whose like.
  const bool everybody = score.cast.streams.size() == score.program.streams.size();
  std::vector<Outcome> outcomes(score.program.instances.size());
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const int32_t meeting = score.cast.meeting_of[i];
    const int32_t signals = score.cast.meetings[static_cast<size_t>(meeting)].signals;
    outcomes[i]           = {meeting, signals < 0 || everybody ? signals : score.program.instances[i].members.front()};
  }
  return outcomes;
}

constexpr size_t kOutcomesAhead = 16;  // items: outcomes are fetched before they are needed

// What the stream does.
std::vector<stream::Record> records(int32_t stream, const Performance& performance, const Score& score,
                                    const std::vector<Outcome>& outcomes) {
  const std::vector<stream::Item>& items = score.program.streams[static_cast<size_t>(stream)].items;
  const bool as_planned                  = score.times.as_planned(stream);
  const double* durations                = score.times.durations();
  std::vector<stream::Record> result(items.size());
  stream::Record* const out = result.data();
  double clock              = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const stream::Item item = items[i];
    if (i + kOutcomesAhead < items.size() && items[i + kOutcomesAhead].instance >= 0)
      __builtin_prefetch(&outcomes[static_cast<size_t>(items[i + kOutcomesAhead].instance)]);
    double start = clock;
    if (item.instance < 0) {
      clock = as_planned ? clock + durations[item.event] : score.times.end(stream, i, item.event, clock);
    } else {
      const Outcome& outcome = outcomes[static_cast<size_t>(item.instance)];
      const auto meeting     = static_cast<size_t>(outcome.meeting);
      if (outcome.signals < 0) {
        start = performance.starts[meeting];
        clock = performance.ends[meeting];
      } else if (stream != outcome.signals) {
        start = clock = std::max(clock, performance.starts[meeting]);
      }
    }
    out[i] = {Seconds(start), Seconds(clock)};
  }
  return result;
}

}  // namespace

std::string to_message(const Performance& performance) {
  std::string message;
  message.reserve(1 + sizeof(uint64_t) * kArrays + bytes_of(performance.starts) + bytes_of(performance.ends) +
                  bytes_of(performance.flows));  // 1: for whoever sends it on
  append(message, performance.starts);
  append(message, performance.ends);
  append(message, performance.flows);
  std::vector<uint64_t> counts;
  std::vector<stream::Pace> paces;
  for (const auto& of_flow : performance.paces) {
    counts.push_back(of_flow.size());
    paces.insert(paces.end(), of_flow.begin(), of_flow.end());
  }
  append(message, counts);
  append(message, paces);
  return message;
}

Performance from_message(std::string_view message) {
  Performance performance;
  performance.starts = take<double>(message);
  performance.ends   = take<double>(message);
  performance.flows  = take<stream::Flow>(message);
  const auto counts  = take<uint64_t>(message);
  const auto paces   = take<stream::Pace>(message);
  auto next          = paces.begin();
  for (const uint64_t count : counts) {
    performance.paces.emplace_back(next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
  }
  return performance;
}

stream::Timeline timeline_of(const Performance& performance, const Score& score, const platform::Platform& platform) {
  stream::Timeline timeline{Seconds(0), {}, {}};
  timeline.records.resize(score.program.streams.size());
  const std::vector<Outcome> outcomes = outcomes_of(score);
  for (size_t i = 0; i < timeline.records.size(); ++i) {
    timeline.records[i] = records(static_cast<int32_t>(i), performance, score, outcomes);
    if (!timeline.records[i].empty()) timeline.makespan = std::max(timeline.makespan, timeline.records[i].back().end);
  }
  const Groups groups = by_meeting(performance.flows, performance.ends.size());
  size_t flows        = 0;
  for (const int32_t meeting : score.cast.meeting_of)
    flows += groups.first[static_cast<size_t>(meeting) + 1] - groups.first[static_cast<size_t>(meeting)];
  timeline.flows.reserve(flows);
  for (size_t instance = 0; instance < score.program.instances.size(); ++instance) {
    const auto meeting = static_cast<size_t>(score.cast.meeting_of[instance]);
    for (size_t i = groups.first[meeting]; i < groups.first[meeting + 1]; ++i) {
      stream::Flow flow  = performance.flows[groups.members[i]];
      flow.instance      = static_cast<int32_t>(instance);
      const Phase& phase = score.footprints.phases_of(score.footprints.of(instance))[static_cast<size_t>(flow.phase)];
      flow.alone         = phase.alone;
      if (phase.relay < 0) flow.load = phase.load;
      timeline.flows.push_back(flow);
      if (score.options.observe) timeline.paces.push_back(performance.paces[groups.members[i]]);
    }
  }
  timeline.loads      = crossings(score.footprints);
  timeline.algorithms = algorithms(score.footprints);
  timeline.links      = link_uses(score.program, timeline, platform.links().size());
  return timeline;
}

}  // namespace foreflow::simulate
