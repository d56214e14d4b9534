// Weighted max-min fair sharing of links, kept up to date while flows come and go. Every flow has one rate; a link that
// it crosses w times carries w times as much. A set of rates is max-min fair when each flow has a bottleneck: a link
// that is full and on which no flow is faster (Bertsekas and Gallager, Data Networks, section 6.5.2). These rates are
// unique, so it is enough to repair those that a change affects:
//   1. recompute the flows that the change touches, with all other rates fixed;
//   2. add the flows whose bottleneck condition is now violated;
//   3. repeat until there are none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {

class FairShares {
 public:
  struct Crossing {
    int32_t link;
    double weight;  // > 0
  };

  // Capacities are in the unit of the rates; 0: nothing gets through.
  explicit FairShares(const std::vector<double>& capacities);

  // Takes a free number for a new flow. `route` names each link once, at least one, and must outlive the flow.
  int32_t add(std::span<const Crossing> route);
  void remove(int32_t flow);
  // The number of a new link.
  int32_t add_link(double capacity) {
    links_.push_back({capacity, {}});
    return static_cast<int32_t>(links_.size() - 1);
  }
  void set_capacity(int32_t link, double capacity);
  double capacity(int32_t number) const { return nth(links_, number).capacity; }

  // Updates the rates. Returns the flows whose rates were recomputed; the list is valid until the next call.
  const std::vector<int32_t>& update();
  double rate(int32_t flow) const { return nth(flows_, flow).rate; }
  // The bottleneck of the flow, a full link.
  int32_t bottleneck(int32_t flow) const { return nth(flows_, flow).bottleneck; }

 private:
  struct Flow {
    std::span<const Crossing> route;
    std::vector<int32_t> places;  // of each crossing, in Link::users
    double rate        = 0;
    int32_t bottleneck = -1;
    bool open          = false;  // its rate is being worked out
    bool chosen        = false;  // is among affected_
  };
  struct User {
    int32_t flow;
    int32_t crossing;  // which of its route
    double weight;
  };
  struct Link {
    double capacity;
    std::vector<User> users;
    double room   = 0;  // capacity that is left to the affected flows whose rate is open
    double weight = 0;  // of these flows
    bool touched  = false;
  };

  Flow& flow(int32_t number) { return nth(flows_, number); }
  Link& link(int32_t number) { return nth(links_, number); }
  void choose(int32_t flow);
  void forget_left();
  void touch_links(size_t first);
  void fill();
  bool choose_broken();
  void choose_component();

  std::vector<Flow> flows_;
  std::vector<Link> links_;
  std::vector<int32_t> free_;
  std::vector<int32_t> left_;      // removed since the last update
  std::vector<int32_t> affected_;  // flows
  std::vector<int32_t> touched_;   // links that affected flows cross
  std::vector<int32_t> updated_;
  std::vector<std::pair<double, int32_t>> queue_;  // a heap of (fair share, link)
};

}  // namespace foreflow::simulate
