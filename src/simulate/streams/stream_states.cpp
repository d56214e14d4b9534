#include "simulate/streams/stream_states.h"

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "simulate/streams/stuck.h"

namespace foreflow::simulate {

using stream::Item;

StreamStates::StreamStates(const stream::Program& program, const Participants& participants, const ComputeTimes& times,
                           const Options& options)
    : program_(program),
      participants_(participants),
      times_(times),
      busy_(options.shares_processors() ? participants.meetings.size() : 0),
      left_(participants.streams.size()) {
  states_.reserve(participants.streams.size());
  for (const int32_t stream : participants.streams) {
    const stream::Stream& own = nth(program.streams, stream);
    const double share        = options.share_of(nth(program.devices, own.device).job);
    states_.push_back({own.items.data(), own.begins.value(), stream, -1, share, stream::HostClock(own.begins)});
  }
  for (size_t i = states_.size(); i-- > 0;) ready_.push_back(static_cast<int32_t>(i));
  meetings_.reserve(participants.meetings.size());
  for (const Participants::Meeting& meeting : participants.meetings) {
    if (meeting.signals < 0) {
      meetings_.push_back({0, meeting.members, -1});
    } else {
      meetings_.push_back({kNoArrival, ~meeting.signals, -1});
    }
  }
}

// Runs the computes up to the next communication or the end of the stream.
void StreamStates::compute(StreamState& state, const Item* end) const {
  const Item* item = state.item;
  double clock     = state.clock;
  if (times_.hosted()) {
    const Item* const first = items(state).data();
    for (; item != end && item->instance < 0; ++item)
      clock = times_.run(state.stream, static_cast<size_t>(item - first), *item, clock, state.host).end;
  } else if (times_.as_planned(state.stream)) {
    const double* durations = times_.durations();
    for (; item != end && item->instance < 0; ++item) clock += durations[item->event];
  } else {
    const Item* const first = items(state).data();
    for (; item != end && item->instance < 0; ++item)
      clock = times_.end(state.stream, static_cast<size_t>(item - first), item->event, clock);
  }
  if (state.share > 0) state.shared.computed(state.clock, clock);
  state.item  = item;
  state.clock = clock;
}

void StreamStates::charge(StreamState& state, const MeetingState& meeting) {
  if (state.share == 0) return;
  const double busy = nth(busy_, &meeting - meetings_.data());
  state.clock += state.shared.lost_to(~meeting.missing, meeting.start, busy, state.share);
}

bool StreamStates::hand_over(StreamState& state, MeetingState& meeting) {
  if (state.stream == ~meeting.missing) {
    meeting.start = arrive(state);
    if (state.share > 0) nth(busy_, &meeting - meetings_.data()) = state.shared.busy();
    release(meeting, meeting.start);
    ++state.item;
    return true;
  }
  if (meeting.start == kNoArrival) {
    wait(state, meeting);
    return false;
  }
  charge(state, meeting);
  pass(state, std::max(state.clock, meeting.start));
  return true;
}

// Releases all streams that wait at the meeting. A stream may arrive at a hand-over after the signal that it waits for.
void StreamStates::release(MeetingState& meeting, double end) {
  for (int32_t next = meeting.waiting; next >= 0;) {
    StreamState& state = nth(states_, next);
    ready_.push_back(next);
    next = state.next_waiting;
    if (meeting.missing < 0) charge(state, meeting);
    pass(state, std::max(state.clock, end));
    __builtin_prefetch(state.item);  // far from the items of other streams, and needed soon
  }
  meeting.waiting = -1;
}

std::vector<double> StreamStates::starts() const {
  std::vector<double> result;
  result.reserve(meetings_.size());
  for (const MeetingState& meeting : meetings_) result.push_back(meeting.start);
  return result;
}

double StreamStates::last() const {
  double last = 0;
  for (const StreamState& state : states_) last = std::max(last, state.clock);
  return last;
}

void StreamStates::refuse_stuck() const {
  for (const StreamState& state : states_) {
    const auto& own = items(state);
    if (state.item == own.data() + own.size()) continue;
    const int32_t instance = state.item->instance;
    const auto& meeting    = nth(meetings_, participants_.meeting(instance));
    if (meeting.missing == 0) continue;  // the flow is under way
    for (const int32_t member : nth(program_.instances, instance).members) {
      const auto other =
          std::find_if(states_.begin(), states_.end(), [&](const StreamState& one) { return one.stream == member; });
      if (other == states_.end()) continue;  // as others that were found
      const auto& theirs = items(*other);
      if (other->item != theirs.data() + theirs.size() && other->item->instance == instance) continue;
      refuse_to_wait(program_, static_cast<size_t>(state.stream), static_cast<size_t>(state.item - own.data()),
                     static_cast<size_t>(member));
    }
  }
  throw PartError("program",
                  "its streams wait for each other; all members of a communication must list it in one order");
}

}  // namespace foreflow::simulate
