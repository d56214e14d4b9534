#include "simulate/routes/group_routes.h"

#include <algorithm>
#include <bit>

namespace foreflow::simulate {
namespace {

uint64_t word(double value) { return std::bit_cast<uint64_t>(value); }

// Numbers values by their first appearance. There are few, so a list is faster than a table.
class Appearance {
 public:
  uint64_t of(int value) {
    const auto found = std::find(values_.begin(), values_.end(), value);
    const auto at    = static_cast<uint64_t>(found - values_.begin());
    if (found == values_.end()) values_.push_back(value);
    return at;
  }
  std::vector<int> take() && { return std::move(values_); }

 private:
  std::vector<int> values_;
};

// Writes the pattern of a group, and returns the links.
class PatternWriter {
 public:
  PatternWriter(const platform::Platform& platform, std::vector<uint64_t>& pattern)
      : platform_(platform), pattern_(pattern) {}

  // Nothing if two devices have no route.
  std::optional<std::vector<int>> run(const std::vector<int>& places) && {
    Appearance nodes, known;
    for (const int place : places) {
      write(known.of(place));
      write(static_cast<uint64_t>(platform_.device_kind(place)));
      write(nodes.of(platform_.node(place)));
    }
    for (const int from : places) {
      for (const int to : places) {
        if (from != to && !add(platform_.route(from, to))) return std::nullopt;
      }
    }
    return std::move(links_).take();
  }

 private:
  void write(uint64_t value) { pattern_.push_back(value); }

  bool add(const platform::Route& route) {
    if (!route.exists()) return false;
    pattern_.insert(pattern_.end(), {route.links.size(), word(route.latency.value()), word(route.step_latency.value()),
                                     word(route.limit.value())});
    for (const int link : route.links) write(links_.of(link));
    return true;
  }

  const platform::Platform& platform_;
  std::vector<uint64_t>& pattern_;
  Appearance links_;
};

}  // namespace

size_t GroupRouteTable::number_of(const platform::Platform& platform, const std::vector<int>& places) {
  words_.assign(places.begin(), places.end());
  const size_t number = groups_.number(words_);
  if (number < known_.size()) return number;
  words_.clear();
  const auto links = PatternWriter(platform, words_).run(places);
  const auto first = static_cast<uint32_t>(links_.size());
  if (links) links_.insert(links_.end(), links->begin(), links->end());
  known_.push_back({links ? patterns_.number(words_) : kNoRoute, first, static_cast<uint32_t>(links_.size()) - first});
  return number;
}

std::optional<GroupRoutes> GroupRouteTable::operator[](size_t number) const {
  const Known& known = known_[number];
  if (known.pattern == kNoRoute) return std::nullopt;
  return GroupRoutes{known.pattern, std::span(links_).subspan(known.first, known.count)};
}

}  // namespace foreflow::simulate
