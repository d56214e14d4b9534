// The effect of links that change over time on a message by itself: its latency, and its greatest rate, which fat pipes
// and the TCP window limit. (The capacity of links, which flows share, is the subject of network/network.h.)
#pragma once

#include <unordered_map>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/simulate/disturbance.h"
#include "simulate/routes/timed.h"

namespace foreflow::simulate {

// A message of a phase. Each byte of the communication is `share` bytes of it.
struct Message {
  platform::Route route;
  bool leaves;  // it goes to another node
  double share;
};

// The state of a phase from the time `at` until the next change.
struct ChangedPhase {
  double at;            // seconds
  Seconds near, far;    // the longest latencies of a step inside nodes and between them
  BytesPerSecond pace;  // bytes of the communication per second at its most limited message; infinite: no limit
};

class Changing {
 public:
  Changing(const platform::Platform& platform, const std::vector<LinkTrace>& traces);

  // False when no link changes in a way that matters here, so that no phase does.
  bool any() const { return !traces_.empty(); }
  // The states of a phase with these messages, ascending in time; empty when none of them crosses a changing link.
  std::vector<ChangedPhase> phases(const std::vector<Message>& messages) const;
  // The limit of a flow of this message alone, in the form of Load::limits; empty where it does not change. `unit` is
  // Load::unit.
  Course limits(const Message& message, double unit) const;

 private:
  // Takes the latency and the limits of `message` at time `now` into account.
  void heed(const Message& message, double now, ChangedPhase& phase) const;
  bool crosses(const Message& message) const;

  const platform::Platform& platform_;
  std::unordered_map<int, LinkTrace> traces_;  // by link
};

}  // namespace foreflow::simulate
