// The load balancing and ordering problem of the paper (section 4, equations 1 to 4), apart from tensors: tasks occupy
// one of their senders and all of their receivers for a while; no port serves two tasks at once; the last end counts.
#pragma once

#include <cstddef>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::reshard {

struct Candidate {
  int sender;        // a port
  Seconds duration;  // of the task with this sender
};

struct ProblemTask {
  std::vector<Candidate> senders;  // one or more, in order of preference
  std::vector<int> receivers;      // ports, in ascending order; a port that sends may be one unless it is half duplex
};

// Senders and receivers of a port are apart, because a port sends and receives at the same time; one that is half
// duplex does one or the other.
struct Problem {
  int ports = 0;
  std::vector<ProblemTask> tasks;
  std::vector<bool> half_duplex = {};  // by port; empty: none is

  bool takes_turns(int port) const { return !half_duplex.empty() && half_duplex[static_cast<size_t>(port)]; }
  // A port is one server for what it sends and one for what it receives, or a single one if it is half duplex. Their
  // numbers are below 2 * `ports`.
  int sends_at(int port) const { return port; }
  int receives_at(int port) const { return takes_turns(port) ? port : ports + port; }
};

struct Assignment {
  int task;
  int candidate;  // index into ProblemTask::senders
  Seconds start, end;
};

// Tasks in starting order. Every schedule takes `lower_bound` or longer.
struct Schedule {
  std::vector<Assignment> order;
  Seconds makespan{0};
  Seconds lower_bound{0};
  bool proven = false;  // no schedule is shorter
};

// A task and which of its senders it has.
struct Choice {
  int task, candidate;
};

// List scheduling: each task starts when its sender and all its receivers have finished those before it in the order.
// The order lists every task once.
Schedule evaluate(const Problem& problem, const std::vector<Choice>& order);

// The load of the busiest receiver or a bound of the load of the busiest sender, whichever is larger: the tasks that
// only ports of a set can send are shared by these ports. The sets are those of the senders of each task, and all. What
// only a half-duplex port can send adds to what it receives.
Seconds lower_bound(const Problem& problem);

}  // namespace foreflow::reshard
