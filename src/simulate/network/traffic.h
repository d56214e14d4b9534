// Flows that share the network, and alarms. This part of a simulation knows dates and rates; what a flow or an alarm
// means is in its tag.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "foreflow/base/nth.h"
#include "simulate/network/event_queue.h"
#include "simulate/network/fair_shares.h"

namespace foreflow::simulate {

class Traffic {
 public:
  // Identifies a flow or an alarm. `foreign` ones (background traffic) do not keep the simulation running.
  struct Tag {
    int32_t kind;
    int32_t number;
    int32_t part;
    bool foreign;
  };

  explicit Traffic(const std::vector<double>& capacities) : shares_(capacities) {}

  // From `date` on, `amount` bytes of one message flow over the route, which names each link once and outlives the
  // flow.
  void send(double date, std::span<const FairShares::Crossing> route, double amount, const Tag& tag) {
    add(date, tag).route   = route;
    nth(legs_, last_).left = amount;
    if (!tag.foreign) ++moving_;
  }
  void alarm(double date, const Tag& tag) {
    add(date, tag);
    if (!tag.foreign) ++moving_;
  }

  void set_capacity(int32_t link, double capacity) { shares_.set_capacity(link, capacity); }
  double capacity(int32_t link) const { return shares_.capacity(link); }
  int32_t add_link(double capacity) { return shares_.add_link(capacity); }

  // Time of the next event; infinite when there is none.
  double next() const { return queue_.next(); }
  // True when something that is not foreign moves or is about to happen.
  bool moving() const { return moving_ > 0; }
  // Calls see(tag, bottleneck link) for each flow that is not foreign and has rate 0.
  template <class See>
  void for_all_held_up(const See& see) const {
    for (const Leg& leg : legs_) {
      if (leg.flow >= 0 && leg.rate == 0 && !leg.tag.foreign) see(leg.tag, shares_.bottleneck(leg.flow));
    }
  }

  // Calls see(tag, begin, left, rate) for each flow and alarm, at time `now`: its date, or -1 for a flow that moves
  // already; what is left of its amount, and its rate.
  template <class See>
  void for_all_legs(double now, const See& see) const {
    for (size_t i = 0; i < legs_.size(); ++i) {
      const Leg& leg    = legs_[i];
      const double date = queue_.date_of(static_cast<int32_t>(i));
      if (leg.flow >= 0) {
        see(leg.tag, -1.0, leg.left - leg.rate * (now - leg.since), leg.rate);
      } else if (date < EventQueue::kNever) {
        see(leg.tag, date, leg.left, 0.0);
      }
    }
  }
  // Lets everything happen later, by so many seconds.
  void delay(double seconds) {
    queue_.delay(seconds);
    for (Leg& leg : legs_) leg.since += seconds;
  }

  // Processes the events that are due next. Calls `happened(tag, now)` for each alarm and each end of a flow, then
  // `then()` once; both may add flows and alarms. Calls `paced(tag, change, now)` with the change of each flow's rate.
  template <class Happened, class Then, class Paced>
  void advance(const Happened& happened, const Then& then, const Paced& paced) {
    const double now = queue_.next();
    while (queue_.next() <= now) {
      while (queue_.next() <= now) {
        const int32_t number = queue_.first();
        queue_.erase(number);
        Leg& leg = nth(legs_, number);
        if (!leg.route.empty() && leg.flow < 0) {
          begin(number, now);
        } else {
          const Tag tag = leg.tag;
          if (leg.rate > 0) paced(tag, -leg.rate, now);
          end(number);
          happened(tag, now);
        }
      }
      then();
    }
    share(now, paced);
  }

  // Gives every flow its rate, and a new date to those whose rate changes.
  template <class Paced>
  void share(double now, const Paced& paced) {
    for (const int32_t flow : shares_.update()) {
      const int32_t number = nth(leg_of_flow_, flow);
      Leg& leg             = nth(legs_, number);
      const double rate    = shares_.rate(flow);
      if (rate == leg.rate) continue;
      paced(leg.tag, rate - leg.rate, now);
      if (!leg.tag.foreign) moving_ += (rate > 0) - (leg.rate > 0);
      leg.left -= leg.rate * (now - leg.since);
      leg.since = now;
      leg.rate  = rate;
      if (rate > 0) {
        queue_.set(number, now + std::max(leg.left, 0.0) / rate);
      } else {
        queue_.erase(number);
      }
    }
  }

 private:
  // A flow that is under way or will be from its date on; or an alarm.
  struct Leg {
    std::span<const FairShares::Crossing> route;  // empty: an alarm
    Tag tag;
    int32_t flow = -1;  // of shares_, once it has begun
    double left  = 0;   // bytes of one message, at `since`
    double since = 0;
    double rate  = 0;  // since then
  };

  Leg& add(double date, const Tag& tag) {
    if (free_.empty()) {
      free_.push_back(static_cast<int32_t>(legs_.size()));
      legs_.emplace_back();
    }
    last_ = free_.back();
    free_.pop_back();
    queue_.set(last_, date);
    return nth(legs_, last_) = {{}, tag};
  }

  void begin(int32_t number, double now) {
    Leg& leg  = nth(legs_, number);
    leg.flow  = shares_.add(leg.route);
    leg.since = now;
    if (!leg.tag.foreign) --moving_;  // until it has a rate
    if (static_cast<size_t>(leg.flow) >= leg_of_flow_.size()) leg_of_flow_.resize(static_cast<size_t>(leg.flow) + 1);
    nth(leg_of_flow_, leg.flow) = number;
  }

  void end(int32_t number) {
    Leg& leg = nth(legs_, number);
    if (leg.flow >= 0) shares_.remove(leg.flow);
    if (!leg.tag.foreign && (leg.flow < 0 || leg.rate > 0)) --moving_;
    leg.flow = -1;
    leg.rate = 0;
    free_.push_back(number);
  }

  FairShares shares_;
  EventQueue queue_;  // of legs: when they begin, end or ring
  std::vector<Leg> legs_;
  std::vector<int32_t> free_;  // legs
  int32_t last_   = -1;        // the leg that was added last
  int32_t moving_ = 0;         // not foreign: alarms, and flows before they begin or with a rate
  std::vector<int32_t> leg_of_flow_;
};

}  // namespace foreflow::simulate
