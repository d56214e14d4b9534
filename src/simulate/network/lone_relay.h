// A relay on links that no other flow crosses in the meantime. It takes the same time whenever it runs, and where its
// rings come to do the same in every step, these steps are not simulated one by one.
//
// Example: a ring of 512 hops, of which one has half the bandwidth, passes on 1,022 chunks of 100 slices each. Its hops
// run ahead of the slow one as far as they may; some 60 steps later every hop does in each step what it did in the step
// before. The last steps, in which hops run out of slices, are simulated again.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/footprint/relay.h"
#include "simulate/network/event_queue.h"
#include "simulate/network/network.h"
#include "simulate/network/traffic.h"

namespace foreflow::simulate {

// The pieces of a relay and the links that they cross, which are numbered from 0; nothing else is on them.
struct LoneRelayPlan {
  RelayShape shape;
  std::vector<int32_t> rings;          // how many hops each has
  std::vector<Network::Route> routes;  // of the hops, ring by ring
  std::vector<double> amounts;         // of the hops: bytes of one message in a piece
  std::vector<double> capacities;      // of the links
  double latency;                      // seconds, of a step
  bool shares_links = false;           // some hops cross the same link
};

class LoneRelay {
 public:
  struct Hop {
    double start = EventQueue::kNever;  // of its first piece, seconds from the relay's start
    double end   = EventQueue::kNever;  // of its last one
  };

  // Simulates it from start to end, or so many seconds of it. Keeps a reference to `plan`.
  explicit LoneRelay(const LoneRelayPlan& plan, double until = EventQueue::kNever);

  // False where a link is down and some pieces never arrive.
  bool done() const { return done_; }
  // Seconds from its start to its end.
  double duration() const { return now_; }
  const std::vector<Hop>& hops() const { return hops_; }
  // Which pieces have started and arrived.
  const Relay& relay() const { return relay_; }
  // Calls see(hop, begin, left) for each piece under way `until` seconds after the start: when its leg begins, if later
  // than that, and what is left of its amount.
  template <class See>
  void for_all_pieces(const See& see) const {
    traffic_.for_all_legs(until_, [&](const Traffic::Tag& tag, double begin, double left, double) {
      see(static_cast<size_t>(tag.part), begin < 0 ? until_ : begin, left);
    });
  }
  // Pieces whose way was simulated.
  int64_t simulated() const { return simulated_; }

 private:
  struct Piece {
    int32_t hop;
    double begin, left, rate;  // of its leg, `begin` from now on
    auto operator<=>(const Piece&) const = default;
  };
  // The pieces under way, relative to the time and to the step of the first hop.
  struct State {
    double now = -1;
    std::vector<int32_t> counts;
    std::vector<Piece> pieces;
  };

  void send(size_t hop, bool first);
  void arrived(size_t hop, double now);
  State state() const;
  bool repeats(const State& state) const;
  void skip_steps();

  const LoneRelayPlan& plan_;
  const double until_;
  Relay relay_;
  Traffic traffic_;
  std::vector<Hop> hops_;
  double now_   = 0;
  bool done_    = false;
  bool stepped_ = false;  // the first hop has ended a step
  State last_;            // when the first hop had ended the step before
  int64_t simulated_ = 0;
};

}  // namespace foreflow::simulate
