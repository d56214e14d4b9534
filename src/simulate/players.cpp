#include "simulate/players.h"

#include "foreflow/base/error.h"
#include "simulate/stuck.h"

namespace foreflow::simulate {

using stream::Item;

Players::Players(const stream::Program& program, const Cast& cast, const ComputeTimes& times)
    : program_(program), cast_(cast), times_(times), left_(cast.streams.size()) {
  players_.reserve(cast.streams.size());
  for (const int32_t stream : cast.streams)
    players_.push_back({program.streams[static_cast<size_t>(stream)].items.data(), 0, stream, -1});
  for (size_t i = players_.size(); i-- > 0;) ready_.push_back(static_cast<int32_t>(i));
  meetings_.reserve(cast.meetings.size());
  for (const Cast::Meeting& meeting : cast.meetings) {
    if (meeting.signals < 0) {
      meetings_.push_back({0, meeting.members, -1});
    } else {
      meetings_.push_back({kLater, ~meeting.signals, -1});
    }
  }
}

// Runs the computes up to the next communication or the end of the stream.
void Players::compute(Player& player, const Item* end) const {
  const Item* item = player.item;
  double clock     = player.clock;
  if (times_.as_planned(player.stream)) {
    const double* durations = times_.durations();
    for (; item != end && item->instance < 0; ++item) clock += durations[item->event];
  } else {
    const Item* const first = items(player).data();
    for (; item != end && item->instance < 0; ++item)
      clock = times_.end(player.stream, static_cast<size_t>(item - first), item->event, clock);
  }
  player.item  = item;
  player.clock = clock;
}

bool Players::hand_over(Player& player, Meeting& meeting) {
  if (player.stream == ~meeting.missing) {
    meeting.start = player.clock;
    release(meeting, player.clock);
    pass(player, player.clock);
    return true;
  }
  if (meeting.start == kLater) {
    wait(player, meeting);
    return false;
  }
  pass(player, std::max(player.clock, meeting.start));
  return true;
}

// All that wait there go on. One that waits for a hand-over may be later than what it waits for.
void Players::release(Meeting& meeting, double end) {
  for (int32_t next = meeting.waiting; next >= 0;) {
    Player& player = players_[static_cast<size_t>(next)];
    ready_.push_back(next);
    next = player.next_waiting;
    pass(player, std::max(player.clock, end));
    __builtin_prefetch(player.item);  // it is far from what the others play, and its turn comes soon
  }
  meeting.waiting = -1;
}

std::vector<double> Players::starts() const {
  std::vector<double> result;
  result.reserve(meetings_.size());
  for (const Meeting& meeting : meetings_) result.push_back(meeting.start);
  return result;
}

void Players::refuse_stuck() const {
  for (const Player& player : players_) {
    const auto& own = items(player);
    if (player.item == own.data() + own.size()) continue;
    const int32_t instance = player.item->instance;
    const auto& meeting    = meetings_[static_cast<size_t>(cast_.meeting_of[static_cast<size_t>(instance)])];
    if (meeting.missing == 0) continue;  // the flow is under way
    for (const int32_t member : program_.instances[static_cast<size_t>(instance)].members) {
      const auto other =
          std::find_if(players_.begin(), players_.end(), [&](const Player& one) { return one.stream == member; });
      if (other == players_.end()) continue;  // as others that were found
      const auto& theirs = items(*other);
      if (other->item != theirs.data() + theirs.size() && other->item->instance == instance) continue;
      refuse_to_wait(program_, static_cast<size_t>(player.stream), static_cast<size_t>(player.item - own.data()),
                     static_cast<size_t>(member));
    }
  }
  throw Error("program", "its streams wait for each other; all members of a communication must list it in one order");
}

}  // namespace foreflow::simulate
