// A program on a network, event by event: which communications start when their members have come, and what follows
// when a flow ends. Knows nothing of SimGrid; kernel.h lends it the clock.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "simulate/network.h"
#include "simulate/performance.h"
#include "simulate/players.h"
#include "simulate/relay.h"
#include "simulate/surroundings.h"
#include "simulate/traffic.h"

namespace foreflow::simulate {

class Conductor {
 public:
  // All outlive it.
  Conductor(const Score& score, const Network& network, const Surroundings& surroundings);

  // When something happens next; infinite: nothing more will.
  double next() const;
  // Lets happen what is due at next().
  void advance();

  // Once nothing more happens. Throws Error when some stream is not through.
  Performance take() &&;

 private:
  // What a flow or an alarm is for, and its Tag::number and Tag::part.
  enum Kind : int32_t {
    kPhase,   // all of a phase: track, -
    kPiece,   // of a relay: run, hop
    kChange,  // of a link: the next of Surroundings::changes, -
    kSource,  // a foreign flow begins: Surroundings::sources, -
    kForeign  // a foreign flow: source, its route among foreign_
  };

  // A Timeline flow in the making.
  struct Track {
    int32_t meeting;
    int32_t phase;  // index into Footprints::phases
    int32_t load;
    double start = -1;
    double pace  = 0;  // bytes of the communication per second
    std::vector<stream::Pace> paces;
  };

  // A relay under way.
  struct Run {
    Relay relay;
    int32_t meeting;
    int32_t phase;
    std::vector<int32_t> tracks;  // of the hops
  };

  size_t count_flows() const;
  void play();
  double enter(int32_t meeting, int32_t phase, double now);
  void start_relay(int32_t meeting, int32_t phase, double now);
  void send_piece(int32_t run, size_t hop, bool first, double now);
  void happened(const Traffic::Tag& tag, double now);
  void piece_arrived(int32_t run, size_t hop, double now);
  void next_phase(int32_t meeting, int32_t phase, double now);
  void set_change_alarm();
  void change(double now);
  void send_foreign(int32_t source, double now);
  void paced(const Traffic::Tag& tag, double change, double now);

  int32_t track(int32_t meeting, int32_t phase, int32_t load, double start);
  // Ends a track: the flow is complete.
  void record(int32_t track, double end);

  const Phase& phase(int32_t index) const { return score_.footprints.phases[static_cast<size_t>(index)]; }
  const Load& load(int32_t index) const { return score_.footprints.loads[static_cast<size_t>(index)]; }
  const Footprint& footprint(int32_t meeting) const {
    return score_.footprints.of(static_cast<size_t>(score_.cast.meetings[static_cast<size_t>(meeting)].example));
  }
  int32_t route(int32_t load) const { return network_.route_of[static_cast<size_t>(load)]; }

  const Score& score_;
  const Network& network_;
  const Surroundings& surroundings_;
  Players players_;
  Traffic traffic_;
  std::vector<Track> tracks_;
  std::vector<int32_t> free_tracks_;
  std::deque<Run> runs_;
  size_t next_change_ = 0;
  std::deque<Network::Route> foreign_;  // with a link of their own each, for the limit
  std::vector<int32_t> free_foreign_;
  int32_t flooding_ = -1;  // the source with which there were too many
  Performance result_;
};

}  // namespace foreflow::simulate
