#include "simulate/engines/simulation_result.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "simulate/fold/fold_compact.h"
#include "simulate/network/link_use.h"
#include "simulate/streams/processor_sharing.h"

namespace foreflow::simulate {
namespace {

constexpr size_t kArrays = 7;  // of a message, each with its length; the last three are short unless flows are observed

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
  std::vector<uint32_t> first, members;
};

Groups by_meeting(const std::vector<stream::Flow>& flows, size_t meetings) {
  Groups groups{std::vector<uint32_t>(meetings + 1, 0), std::vector<uint32_t>(flows.size())};
  for (const stream::Flow& flow : flows) ++groups.first[static_cast<size_t>(flow.instance) + 1];
  std::partial_sum(groups.first.begin(), groups.first.end(), groups.first.begin());
  std::vector<uint32_t> next = groups.first;
  for (uint32_t i = 0; i < flows.size(); ++i) groups.members[nth(next, flows[i].instance)++] = i;
  return groups;
}

// The meeting and the stream by which the start and the end of an instance are found.
struct Outcome {
  int32_t meeting;
  int32_t signals;  // of a hand-over: the stream that signals; otherwise negative
};

// Kept by instance where a meeting is more than one, because streams reach instances in another order than Program
// keeps them.
class Outcomes {
 public:
  explicit Outcomes(const SimulationInput& input) : participants_(input.participants) {
    if (participants_.meeting_of.empty()) return;
    // A meeting names the signalling stream itself, which need not be the representative of its class.
    const bool unfolded = participants_.streams.size() == input.program.streams.size();
    all_.resize(input.program.instances.size());
    for (size_t i = 0; i < all_.size(); ++i) {
      const int32_t meeting = participants_.meeting_of[i];
      const int32_t signals = nth(participants_.meetings, meeting).signals;
      all_[i]               = {meeting, signals < 0 || unfolded ? signals : input.program.instances[i].members.front()};
    }
  }

  Outcome of(int32_t instance) const {
    const auto i = static_cast<size_t>(instance);
    return all_.empty() ? Outcome{instance, participants_.meetings[i].signals} : all_[i];
  }
  void fetch(int32_t instance) const {
    const auto i = static_cast<size_t>(instance);
    if (all_.empty()) {
      __builtin_prefetch(&participants_.meetings[i]);
    } else {
      __builtin_prefetch(&all_[i]);
    }
  }

 private:
  const Participants& participants_;
  std::vector<Outcome> all_;
};

// Adds what computes lost until they wait in item `wait` to the last of them, for it stands for all. What the stream
// did since then without taking time, such as signals, moves behind it. Returns false, and changes nothing, if the
// stream did not come to the wait straight from a compute: then the wait stands for them.
bool lengthen_compute(std::vector<stream::Record>& records, size_t wait, const std::vector<stream::Item>& items,
                      Seconds lost) {
  size_t last = wait;
  while (last > 0 && records[last - 1].start == records[wait - 1].end) --last;
  if (last == 0 || records[last - 1].end != records[wait - 1].end || items[last - 1].instance >= 0) return false;
  records[last - 1].end += lost;
  for (size_t i = last; i < wait; ++i) {
    records[i].start += lost;
    records[i].end += lost;
  }
  return true;
}

constexpr size_t kOutcomesAhead = 16;  // items: outcomes are fetched before they are needed

// The records of the stream. Adds to `issued` what its host does, if anything costs hosts time.
std::vector<stream::Record> records(int32_t stream, const SimulationResult& result, const SimulationInput& input,
                                    const Outcomes& outcomes, std::vector<stream::Issued>& issued) {
  const std::vector<stream::Item>& items = nth(input.program.streams, stream).items;
  const bool as_planned                  = input.times.as_planned(stream);
  const double* durations                = input.times.durations();
  std::vector<stream::Record> all(items.size());
  stream::Record* const out = all.data();
  const Seconds begins      = nth(input.program.streams, stream).begins;
  double clock = begins.value(), begun = begins.value();  // begun: the run of computes that the stream is in
  stream::HostClock host(begins);
  ProcessorSharing shared;
  const int device   = nth(input.program.streams, stream).device;
  const double share = input.options.share_of(nth(input.program.devices, device).job);
  const bool hosted  = input.times.hosted();
  if (hosted) issued.reserve(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    const stream::Item item = items[i];
    if (i + kOutcomesAhead < items.size() && items[i + kOutcomesAhead].instance >= 0)
      outcomes.fetch(items[i + kOutcomesAhead].instance);
    double start = clock;
    if (share > 0 && item.instance >= 0) shared.computed(begun, clock);
    if (item.instance < 0 && hosted) {
      const double from           = input.times.issue(item).waits ? std::max(host.now(), clock) : host.now();
      const ComputeTimes::Run run = input.times.run(stream, i, item, clock, host);
      issued.push_back({Seconds(from), Seconds(host.now()), Seconds(run.start - clock), Seconds(run.inside)});
      start = run.start;
      clock = run.end;
    } else if (item.instance < 0) {
      clock = as_planned ? clock + durations[item.event] : input.times.end(stream, i, item.event, clock);
    } else {
      const Outcome outcome = outcomes.of(item.instance);
      const auto meeting    = static_cast<size_t>(outcome.meeting);
      const bool signals    = outcome.signals >= 0 && stream == outcome.signals;
      if (hosted) {
        const double from    = host.now();
        const double arrival = outcome.signals < 0 || signals ? host.arrive(input.times.issue(item), clock) : clock;
        issued.push_back({Seconds(from), Seconds(host.now()), Seconds(signals ? 0 : arrival - clock), Seconds(0)});
      }
      if (outcome.signals < 0) {
        if (share > 0 && is_collective(input.program, item)) shared.communicated(clock, result.ends[meeting]);
        start = result.starts[meeting];
        clock = result.ends[meeting];
      } else if (!signals) {
        const double lost =
            share > 0 ? shared.lost_to(outcome.signals, result.starts[meeting], result.busy[meeting], share) : 0;
        const bool computed = lost > 0 && lengthen_compute(all, i, items, Seconds(lost));
        start               = std::max(clock + (computed ? lost : 0), result.starts[meeting]);
        clock               = std::max(clock + lost, result.starts[meeting]);
      }
      if (hosted && !signals) host.ended(input.times.issue(item), clock);
    }
    if (item.instance >= 0) begun = clock;
    out[i] = {Seconds(start), Seconds(clock)};
  }
  return all;
}

void add_records(const SimulationResult& result, const SimulationInput& input, stream::Timeline& timeline) {
  const Outcomes outcomes(input);
  timeline.records.resize(input.program.streams.size());
  for (size_t i = 0; i < timeline.records.size(); ++i) {
    std::vector<stream::Issued> issued;
    timeline.records[i] = records(static_cast<int32_t>(i), result, input, outcomes, issued);
    if (input.times.hosted()) timeline.issued.push_back(std::move(issued));
    if (!timeline.records[i].empty()) timeline.makespan = std::max(timeline.makespan, timeline.records[i].back().end);
  }
}

// Without the algorithms.
stream::Timeline times_of(SimulationResult result, const SimulationInput& input, const platform::Platform& platform) {
  stream::Timeline timeline{Seconds(0), {}, {}};
  add_records(result, input, timeline);
  for (std::vector<double>* moments : {&result.starts, &result.ends, &result.busy})
    *moments = std::vector<double>();  // millions
  const Groups groups = by_meeting(result.flows, input.participants.meetings.size());
  size_t flows        = 0;
  for (const int32_t meeting : input.participants.meeting_of)
    flows += groups.first[static_cast<size_t>(meeting) + 1] - nth(groups.first, meeting);
  if (input.participants.meeting_of.empty()) flows = result.flows.size();
  timeline.flows.reserve(flows);
  for (size_t instance = 0; instance < input.program.instances.size(); ++instance) {
    const auto meeting = static_cast<size_t>(input.participants.meeting(static_cast<int32_t>(instance)));
    for (uint32_t i = groups.first[meeting]; i < groups.first[meeting + 1]; ++i) {
      stream::Flow flow  = result.flows[groups.members[i]];
      flow.instance      = static_cast<int32_t>(instance);
      const Phase& phase = nth(input.footprints.phases_of(input.footprints.of(instance)), flow.phase);
      flow.alone         = phase.alone;
      if (phase.relay < 0) flow.load = phase.load;
      timeline.flows.push_back(flow);
      if (!result.paces.empty()) timeline.paces.push_back(result.paces[groups.members[i]]);
    }
  }
  timeline.loads = crossings(input.footprints);
  timeline.links = link_uses(input.program, timeline, platform.links().size());
  return timeline;
}

}  // namespace

std::string to_message(const SimulationResult& result) {
  std::string message;
  message.reserve(1 + sizeof(uint64_t) * kArrays + bytes_of(result.starts) + bytes_of(result.ends) +
                  bytes_of(result.busy) + bytes_of(result.flows));  // 1: for whoever sends it on
  append(message, result.starts);
  append(message, result.ends);
  append(message, result.busy);
  append(message, result.flows);
  std::vector<uint64_t> counts;
  std::vector<stream::Pace> paces;
  for (const auto& of_flow : result.paces) {
    counts.push_back(of_flow.size());
    paces.insert(paces.end(), of_flow.begin(), of_flow.end());
  }
  append(message, counts);
  append(message, paces);
  append(message, std::vector<double>{result.makespan});
  return message;
}

SimulationResult from_message(std::string_view message) {
  SimulationResult result;
  result.starts     = take<double>(message);
  result.ends       = take<double>(message);
  result.busy       = take<double>(message);
  result.flows      = take<stream::Flow>(message);
  const auto counts = take<uint64_t>(message);
  const auto paces  = take<stream::Pace>(message);
  auto next         = paces.begin();
  for (const uint64_t count : counts) {
    result.paces.emplace_back(next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
  }
  result.makespan = take<double>(message).at(0);
  return result;
}

stream::Timeline timeline_of(SimulationResult result, const SimulationInput& input,
                             const platform::Platform& platform) {
  stream::Timeline timeline = times_of(std::move(result), input, platform);
  timeline.algorithms       = algorithms(input.footprints);
  return timeline;
}

stream::Timeline timeline_of(SimulationResult result, const FoldedProgram& folded, const SimulationInput& input,
                             const platform::Platform& platform) {
  stream::Timeline timeline = times_of(std::move(result), input, platform);
  for (stream::Flow& flow : timeline.flows) {
    const Footprint& alone = folded.each.of(static_cast<size_t>(flow.instance));
    flow.alone             = nth(folded.each.phases_of(alone), flow.phase).alone;
  }
  timeline.algorithms = algorithms(folded.each);
  timeline.like_link  = folded.like_link;
  for (size_t link = 0; link < timeline.links.size(); ++link)
    timeline.links[link] = nth(timeline.links, folded.like_link[link]);
  return timeline;
}

}  // namespace foreflow::simulate
