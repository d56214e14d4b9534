// A phase of a communication: a delay, then one flow over all links that any of its messages crosses.
#pragma once

#include <cstdint>
#include <vector>

#include "foreflow/stream/timeline.h"
#include "simulate/routes/timed.h"

namespace foreflow::simulate {

struct Phase {
  Seconds delay;          // before the flow: latencies and the filling of a pipeline; or the whole fixed duration
  Seconds alone;          // duration of the flow when it has the network for itself; 0: there is no flow
  int32_t load;           // index into Footprints::loads; -1: there is no flow
  bool uneven   = false;  // some messages are slower than others that cross links of the same kinds
  int32_t relay = -1;     // index into Footprints::relays, in place of delay and flow; -1: none
  Course delays = {};     // where links change: the delay in seconds, by the time when the phase begins

  double delay_at(double now) const { return value_of(delays, now, delay.value()); }
};

// The flow of a phase as the network sees it.
struct Load {
  std::vector<stream::Crossing> crossings;  // by link number
  // The greatest common divisor of the shares of its messages. Flows compete for a link in messages of this size.
  double unit;
  // The greatest rate of one message of size `unit`, which fat pipes on its way, TCP windows and the protocol of a
  // library limit; 0: no limit. Fat pipes are among the crossings, but flows do not compete for them.
  BytesPerSecond limit{0};
  Course limits = {};  // where the limit changes: in bytes per second, by time; infinite: no limit

  bool is_limited() const { return limit > BytesPerSecond(0) || !limits.empty(); }
  // The limit at time `now`, in bytes per second; infinite: no limit.
  double limit_at(double now) const;
};

}  // namespace foreflow::simulate
