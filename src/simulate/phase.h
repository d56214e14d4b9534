// A phase of a communication: a delay, then one flow over all links that any of its messages crosses.
#pragma once

#include <cstdint>
#include <vector>

#include "foreflow/stream/timeline.h"
#include "simulate/timed.h"

namespace foreflow::simulate {

struct Phase {
  Seconds delay;          // before the flow: latencies and the filling of a pipeline; or all of a fixed duration
  Seconds alone;          // the flow when it has the network for itself; 0: there is no flow
  int32_t load;           // index into Footprints::loads; -1: there is no flow
  bool uneven   = false;  // some messages are slower than others that cross links of the same kinds
  int32_t relay = -1;     // index into Footprints::relays, in place of delay and flow; -1: none
  Course delays = {};     // seconds, where links change: the delay of a phase that begins then

  double delay_at(double now) const { return value_of(delays, now, delay.value()); }
};

// What the flow of a phase is to the network.
struct Load {
  std::vector<stream::Crossing> crossings;  // by link number
  double unit;  // the largest share of which the share of each message is a multiple; flows compete for a link in
                // messages of this size
  // The most that fat pipes on its way, windows and the protocol of a library let through of one message of this size;
  // 0: as much as comes. Fat pipes are among the crossings but nothing competes for them.
  BytesPerSecond limit{0};
  Course limits = {};  // bytes per second, where that changes: infinite: as much as comes

  bool is_limited() const { return limit > BytesPerSecond(0) || !limits.empty(); }
  // Infinite: as much as comes.
  double limit_at(double now) const;
};

}  // namespace foreflow::simulate
