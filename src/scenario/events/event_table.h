// The distinct events that a walk over a program has met so far.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "foreflow/scenario/events.h"

namespace foreflow::scenario {

class EventTable {
 public:
  // The number of the event that is equal to this one in all but count and time. `price` is called for the first only,
  // and completes its time and provenance.
  template <class Price>
  size_t number(Event event, Price price) {
    const Key key(event.signature, event.device, event.scope, event.ranks, event.nodes);
    const auto [found, fresh] = numbers_.emplace(key, events_.size());
    if (fresh) {
      price(event);
      events_.push_back(std::move(event));
    }
    return found->second;
  }
  void count(size_t number, int64_t executions) { events_[number].count += executions; }

  // Longest first.
  std::vector<Event> sorted() &&;

 private:
  using Key = std::tuple<std::string, std::string, Scope, int, int>;
  std::map<Key, size_t> numbers_;
  std::vector<Event> events_;
};

}  // namespace foreflow::scenario
