#include "simulate/players.h"

#include <cstdlib>

#include "foreflow/base/error.h"
#include "simulate/stuck.h"

namespace foreflow::simulate {

using stream::Item;

Players::Players(const stream::Program& program, const Cast& cast, const ComputeTimes& times,
                 std::vector<std::vector<stream::Record>>* records)
    : program_(program), cast_(cast), times_(times), records_(records), left_(cast.streams.size()) {
  if (records_ != nullptr) records_->resize(program.streams.size());
  players_.reserve(cast.streams.size());
  for (const int32_t stream : cast.streams) {
    const auto& items      = program.streams[static_cast<size_t>(stream)].items;
    stream::Record* record = nullptr;
    if (records_ != nullptr) {
      auto& kept = (*records_)[static_cast<size_t>(stream)];
      kept.resize(items.size());
      record = kept.data();
    }
    players_.push_back({stream, -1, 0, items.data(), record});
  }
  for (size_t i = players_.size(); i-- > 0;) ready_.push_back(static_cast<int32_t>(i));
  meetings_.reserve(cast.meetings.size());
  for (const Cast::Meeting& meeting : cast.meetings) meetings_.push_back({0, meeting.members, -1});
}

// Runs the computes up to the next communication or the end of the stream.
void Players::compute(Player& player, const Item* end) const {
  const Item* item       = player.item;
  stream::Record* record = player.record;
  double clock           = player.clock;
  if (times_.as_planned(player.stream)) {
    const double* durations = times_.durations();
    if (record == nullptr) {
      for (; item != end && item->instance < 0; ++item) clock += durations[item->event];
    } else {
      for (; item != end && item->instance < 0; ++item) {
        const double start = clock;
        clock += durations[item->event];
        *record++ = {Seconds(start), Seconds(clock)};
      }
    }
  } else {
    const Item* const first = items(player).data();
    for (; item != end && item->instance < 0; ++item) {
      const double start = clock;
      clock = times_.end(player.stream, static_cast<size_t>(item - first), item->event, start);
      if (record != nullptr) *record++ = {Seconds(start), Seconds(clock)};
    }
  }
  player.item   = item;
  player.record = record;
  player.clock  = clock;
}

bool Players::hand_over(Player& player, Meeting& meeting, bool signals) {
  if (signals) {
    meeting.start   = player.clock;
    meeting.missing = 0;
    release(meeting, player.clock);
    pass(player, player.clock, player.clock);
    return true;
  }
  if (meeting.missing > 0) {
    wait(player, meeting);
    return false;
  }
  const double now = std::max(player.clock, meeting.start);
  pass(player, now, now);
  return true;
}

// All that wait there go on. One that waits for a hand-over may be later than what it waits for.
void Players::release(Meeting& meeting, double end) {
  for (int32_t next = meeting.waiting; next >= 0;) {
    Player& player = players_[static_cast<size_t>(next)];
    ready_.push_back(next);
    next = player.next_waiting;
    pass(player, std::max(player.clock, meeting.start), std::max(player.clock, end));
  }
  meeting.waiting = -1;
}

void Players::refuse_stuck() const {
  for (const Player& player : players_) {
    const auto& own = items(player);
    if (player.item == own.data() + own.size()) continue;
    const int32_t instance = player.item->instance;
    const auto& meeting    = meetings_[static_cast<size_t>(cast_.meeting_of[static_cast<size_t>(instance)])];
    if (meeting.missing == 0) continue;  // under way
    for (const int32_t member : program_.instances[static_cast<size_t>(instance)].members) {
      const auto other = std::find_if(players_.begin(), players_.end(),
                                      [&](const Player& one) { return one.stream == member; });
      if (other == players_.end()) continue;  // as others that were found
      const auto& theirs = items(*other);
      if (other->item != theirs.data() + theirs.size() && other->item->instance == instance) continue;
      refuse_to_wait(program_, static_cast<size_t>(player.stream), static_cast<size_t>(player.item - own.data()),
                     static_cast<size_t>(member));
    }
  }
  FOREFLOW_CHECK(false, "no stream waits for another");
  std::abort();
}

}  // namespace foreflow::simulate
