// A program on a network, event by event: which communications start when their members have come, at what pace they
// share the network, when they end. Knows nothing of SimGrid; kernel.h lends it the clock.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/agenda.h"
#include "simulate/fair_shares.h"
#include "simulate/network.h"
#include "simulate/performance.h"
#include "simulate/players.h"

namespace foreflow::simulate {

class Conductor {
 public:
  // Both outlive it.
  Conductor(const Score& score, const Network& network);

  // When something happens next; infinite: nothing more will.
  double next() const { return agenda_.next(); }
  // Lets happen what is due at next().
  void advance();

  // Once nothing more happens. Throws Error when some stream is not through.
  Performance take() &&;

 private:
  // What is on the network, or will be from its date on.
  struct Leg {
    int32_t meeting;
    int32_t phase;        // index into Footprints::phases
    int32_t flow = -1;    // of shares_, once it has begun
    double left  = 0;     // bytes of one message, at `since`
    double since = 0;
    double rate  = 0;     // since then
    double begun = 0;
    std::vector<stream::Pace> paces;
  };

  void play();
  double enter(int32_t meeting, int32_t phase, double now);
  void announce(int32_t meeting, int32_t phase, double date);
  void begin(int32_t leg, double now);
  void complete(int32_t leg, double now);
  void share(double now);
  void record(int32_t meeting, int32_t phase, double start, double end);

  const Footprint& footprint(int32_t meeting) const {
    return score_.footprints.of(static_cast<size_t>(score_.cast.meetings[static_cast<size_t>(meeting)].example));
  }

  int32_t route(const Phase& phase) const { return network_.route_of[static_cast<size_t>(phase.load)]; }

  const Score& score_;
  const Network& network_;
  Players players_;
  FairShares shares_;
  Agenda agenda_;                     // of legs: when they begin or end
  std::vector<Leg> legs_;
  std::vector<int32_t> free_;         // legs
  std::vector<int32_t> leg_of_flow_;  // of shares_
  Performance result_;
};

}  // namespace foreflow::simulate
