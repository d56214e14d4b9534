// The execution rule of streams, shared by all engines. Each stream has a clock of its own: it runs ahead through its
// computations and stops where it must wait for a communication.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/simulate/options.h"
#include "simulate/streams/compute_times.h"
#include "simulate/streams/participants.h"
#include "simulate/streams/processor_sharing.h"

namespace foreflow::simulate {

class StreamStates {
 public:
  // Keeps references: all arguments must outlive the object.
  StreamStates(const stream::Program& program, const Participants& participants, const ComputeTimes& times,
               const Options& options);

  // Advances every stream as far as possible. When the last member of a meeting arrives, `gathered(meeting, start)`
  // returns the time at which the communication ends, or nothing if only finish() will tell.
  template <class Gathered>
  void play(const Gathered& gathered) {
    while (!ready_.empty()) {
      const int32_t next = ready_.back();
      ready_.pop_back();
      play(next, gathered);
    }
  }

  // Sets an end that was not known; the members continue at the next play().
  void finish(int32_t meeting, double end) { release(nth(meetings_, meeting), end); }

  bool finished() const { return left_ == 0; }
  // When the last stream has ended, if all have; seconds.
  double last() const;
  // For each meeting, the arrival of its last member in seconds; for a hand-over, the time of the signal.
  std::vector<double> starts() const;
  // For each hand-over, how long the stream that signals has been in collectives before; empty if they cost computes
  // nothing.
  std::vector<double> busy() && { return std::move(busy_); }

  // Throws Error that names a waiting stream, the communication, and a member that has not arrived, where they are
  // known.
  [[noreturn]] void refuse_stuck() const;

 private:
  static constexpr double kNoArrival = -std::numeric_limits<double>::infinity();

  struct StreamState {
    const stream::Item* item;  // the next
    double clock;
    int32_t stream;
    int32_t next_waiting;  // of those that wait at the same meeting; -1: the last
    double share;          // Options::share_of its job
    stream::HostClock host;
    ProcessorSharing shared = {};
  };
  struct MeetingState {
    double start;     // the latest arrival so far; of a hand-over: kNoArrival until it is signalled
    int32_t missing;  // members that have not arrived; of a hand-over ~s, where stream s signals
    int32_t waiting;  // the first stream that waits; -1: none
  };

  const std::vector<stream::Item>& items(const StreamState& state) const {
    return nth(program_.streams, state.stream).items;
  }
  void compute(StreamState& state, const stream::Item* end) const;
  // True when the stream proceeds.
  bool hand_over(StreamState& state, MeetingState& meeting);
  // Charges the time that computes lost to the stream that signalled the meeting.
  void charge(StreamState& state, const MeetingState& meeting);
  void wait(StreamState& state, MeetingState& meeting) {
    state.next_waiting = meeting.waiting;
    meeting.waiting    = static_cast<int32_t>(&state - states_.data());
  }
  void release(MeetingState& meeting, double end);
  // When the stream arrives at the communication that is its next item: not before its host has issued it.
  double arrive(StreamState& state) const {
    return times_.hosted() ? state.host.arrive(times_.issue(*state.item), state.clock) : state.clock;
  }
  void pass(StreamState& state, double end) const {
    if (times_.hosted()) state.host.ended(times_.issue(*state.item), end);
    if (state.share > 0 && is_collective(program_, *state.item)) state.shared.communicated(state.clock, end);
    state.clock = end;
    ++state.item;
  }

  template <class Gathered>
  void play(int32_t number, const Gathered& gathered) {
    StreamState& state            = nth(states_, number);
    const stream::Item* const end = items(state).data() + items(state).size();
    for (;;) {
      compute(state, end);
      if (state.item == end) break;
      const int32_t place   = participants_.meeting(state.item->instance);
      MeetingState& meeting = nth(meetings_, place);
      if (meeting.missing < 0) {
        if (hand_over(state, meeting)) continue;
        return;
      }
      meeting.start = std::max(meeting.start, arrive(state));
      if (--meeting.missing > 0) return wait(state, meeting);
      const std::optional<double> finish = gathered(place, meeting.start);
      if (!finish) return wait(state, meeting);
      release(meeting, *finish);
      pass(state, *finish);
    }
    --left_;
  }

  const stream::Program& program_;
  const Participants& participants_;
  const ComputeTimes& times_;
  std::vector<StreamState> states_;     // as Participants::streams
  std::vector<MeetingState> meetings_;  // as Participants::meetings
  std::vector<double> busy_;            // as busy()
  std::vector<int32_t> ready_;          // states that can proceed
  size_t left_;                         // that have not ended
};

}  // namespace foreflow::simulate
