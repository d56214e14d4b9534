// What changing links do to single messages: their latency, and the most that lets one of them pass, which is that of
// fat pipes and of a TCP window. (What flows share is the capacity of a link, and network.h.)
#pragma once

#include <unordered_map>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/simulate/disturbance.h"
#include "simulate/timed.h"

namespace foreflow::simulate {

// A message of a phase. Each byte of the communication is `share` bytes of it.
struct Message {
  platform::Route route;
  bool leaves;  // its node
  double share;
};

// What holds for a phase from a time on.
struct ChangedPhase {
  double at;
  Seconds near, far;    // the longest latencies of a step inside nodes and between them
  BytesPerSecond pace;  // the most of the communication that single messages let through; infinite: any
};

class Changing {
 public:
  Changing(const platform::Platform& platform, const std::vector<LinkTrace>& traces);

  // False when no phase ever changes in this respect.
  bool any() const { return !traces_.empty(); }
  // Ascending in time; empty when no message crosses a link that matters.
  std::vector<ChangedPhase> phases(const std::vector<Message>& messages) const;
  // The limit of a flow of units of `unit` that consists of this message alone; empty: it does not change.
  Course limits(const Message& message, double unit) const;

 private:
  void heed(const Message& message, double now, ChangedPhase& phase) const;
  bool crosses(const Message& message) const;

  const platform::Platform& platform_;
  std::unordered_map<int, LinkTrace> traces_;  // by link
};

}  // namespace foreflow::simulate
