// The rule of the streams, written once for all engines: each stream has a clock of its own, runs ahead through what
// it can do alone, and stops where it must wait for others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/cast.h"
#include "simulate/compute_times.h"

namespace foreflow::simulate {

class Players {
 public:
  static constexpr double kLater = -1;  // an end that is not known yet

  // All outlive the players.
  Players(const stream::Program& program, const Cast& cast, const ComputeTimes& times);

  // All go as far as they can. Where the last member of a meeting arrives, `gathered(meeting, start)` says when the
  // communication ends, or kLater.
  template <class Gathered>
  void play(const Gathered& gathered) {
    while (!ready_.empty()) {
      const int32_t next = ready_.back();
      ready_.pop_back();
      play(next, gathered);
    }
  }

  // Tells what was kLater; the members go on at the next play().
  void finish(int32_t meeting, double end) { release(meetings_[static_cast<size_t>(meeting)], end); }

  bool finished() const { return left_ == 0; }
  // When the last member came; of a hand-over: when it was signalled.
  std::vector<double> starts() const;

  // Throws Error: names a stream that waits, the communication, and a member that has not come, if they can be seen.
  [[noreturn]] void refuse_stuck() const;

 private:
  struct Player {
    const stream::Item* item;  // the next
    double clock;
    int32_t stream;
    int32_t next_waiting;  // of those that wait at the same meeting; -1: the last
  };
  struct Meeting {
    double start;     // the latest arrival so far; of a hand-over: kLater until it is signalled
    int32_t missing;  // members that have not come; of a hand-over ~s, where stream s signals
    int32_t waiting;  // the first player that waits; -1: none
  };

  const std::vector<stream::Item>& items(const Player& player) const {
    return program_.streams[static_cast<size_t>(player.stream)].items;
  }
  void compute(Player& player, const stream::Item* end) const;
  // True when the player goes on.
  bool hand_over(Player& player, Meeting& meeting);
  void wait(Player& player, Meeting& meeting) {
    player.next_waiting = meeting.waiting;
    meeting.waiting     = static_cast<int32_t>(&player - players_.data());
  }
  void release(Meeting& meeting, double end);
  static void pass(Player& player, double end) {
    player.clock = end;
    ++player.item;
  }

  template <class Gathered>
  void play(int32_t number, const Gathered& gathered) {
    Player& player                = players_[static_cast<size_t>(number)];
    const stream::Item* const end = items(player).data() + items(player).size();
    for (;;) {
      compute(player, end);
      if (player.item == end) break;
      const int32_t place = cast_.meeting_of[static_cast<size_t>(player.item->instance)];
      Meeting& meeting    = meetings_[static_cast<size_t>(place)];
      if (meeting.missing < 0) {
        if (hand_over(player, meeting)) continue;
        return;
      }
      meeting.start = std::max(meeting.start, player.clock);
      if (--meeting.missing > 0) return wait(player, meeting);
      const double finish = gathered(place, meeting.start);
      if (finish < 0) return wait(player, meeting);
      release(meeting, finish);
      pass(player, finish);
    }
    --left_;
  }

  const stream::Program& program_;
  const Cast& cast_;
  const ComputeTimes& times_;
  std::vector<Player> players_;    // as Cast::streams
  std::vector<Meeting> meetings_;  // as Cast::meetings
  std::vector<int32_t> ready_;     // players that can go on
  size_t left_;                    // that have not ended
};

}  // namespace foreflow::simulate
