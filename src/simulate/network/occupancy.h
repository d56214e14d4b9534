// Which links flows are on, and which of them a relay has to itself. A flow is on its links from the moment that it is
// known, even if it begins later.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "foreflow/base/nth.h"
#include "simulate/network/network.h"

namespace foreflow::simulate {

class Occupancy {
 public:
  explicit Occupancy(size_t links) : links_(links) {}

  void enter(const Network::Route& route) {
    for (const auto& crossing : route) ++nth(links_, crossing.link).flows;
  }
  void leave(const Network::Route& route) {
    for (const auto& crossing : route) {
      Link& link = nth(links_, crossing.link);
      if (--link.flows == 0) link.holder = -1;
    }
  }

  // True when no flow is on the route at time `now`.
  bool free(const Network::Route& route, double now) const {
    return std::all_of(route.begin(), route.end(), [&](const auto& crossing) {
      const Link& link = nth(links_, crossing.link);
      return link.flows == 0 && (link.holder < 0 || link.end <= now);
    });
  }

  // `holder` has the links of the route to itself, until its flows have left them or until `end`.
  void hold(const Network::Route& route, int32_t holder, double end) {
    for (const auto& crossing : route) {
      Link& link  = nth(links_, crossing.link);
      link.end    = link.holder == holder ? std::max(link.end, end) : end;
      link.holder = holder;
    }
  }
  void give_back(const Network::Route& route, int32_t holder) {
    for (const auto& crossing : route) {
      Link& link = nth(links_, crossing.link);
      if (link.holder == holder) link.holder = -1;
    }
  }

  // Who has a link of the route to itself at time `now`; -1: nobody.
  int32_t holder(const Network::Route& route, double now) const {
    for (const auto& crossing : route) {
      const Link& link = nth(links_, crossing.link);
      if (link.holder >= 0 && now < link.end) return link.holder;
    }
    return -1;
  }

 private:
  struct Link {
    int32_t flows  = 0;
    int32_t holder = -1;  // -1: none
    double end     = 0;   // of its hold
  };

  std::vector<Link> links_;  // as Network::capacities
};

}  // namespace foreflow::simulate
