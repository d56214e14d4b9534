#include "transform/blocks/repeats.h"

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "transform/blocks/suffixes.h"

namespace foreflow::transform {
namespace {

class RepeatFinder {
 public:
  RepeatFinder(std::span<const int32_t> tokens, size_t shortest, size_t fewest)
      : suffixes_(sort_suffixes(tokens)), shortest_(static_cast<int32_t>(shortest)), fewest_(fewest) {}

  std::vector<Repeat> run() {
    for (const SharedPrefix& prefix : shared_prefixes(suffixes_, shortest_)) {
      if (overlaps_itself(prefix)) continue;
      const std::vector<size_t> starts = starts_of(prefix);
      add(prefix, starts);
      const int32_t period = shortest_period(starts);
      if (period >= prefix.length) continue;
      const int32_t periods = (shortest_ + period - 1) / period;
      if (periods * period <= prefix.length) shorten(prefix, periods * period);
    }
    return std::move(repeats_);
  }

 private:
  // k layers after each other share prefixes of 1, 2, ... k - 1 layers: a longer one is a worse copy of the shortest.
  // Among those kept is one of at least `shortest` tokens for each period.
  bool overlaps_itself(const SharedPrefix& prefix) const {
    const double covered = static_cast<double>(prefix.last - prefix.first + 1) * prefix.length;
    return covered > static_cast<double>(suffixes_.order.size()) * (shortest_ + 2);
  }

  std::vector<size_t> starts_of(const SharedPrefix& prefix) const {
    std::vector<size_t> starts(suffixes_.order.begin() + prefix.first, suffixes_.order.begin() + prefix.last + 1);
    std::sort(starts.begin(), starts.end());
    return starts;
  }

  static int32_t shortest_period(const std::vector<size_t>& starts) {
    size_t shortest = INT32_MAX;
    for (size_t i = 1; i < starts.size(); ++i) shortest = std::min(shortest, starts[i] - starts[i - 1]);
    return static_cast<int32_t>(shortest);
  }

  // The first `length` tokens of the prefix, wherever they occur.
  void shorten(SharedPrefix prefix, int32_t length) {
    prefix.length = length;
    while (nth(suffixes_.common, prefix.first) >= length) --prefix.first;
    const auto count = static_cast<int32_t>(suffixes_.order.size());
    while (prefix.last + 1 < count && suffixes_.common[static_cast<size_t>(prefix.last) + 1] >= length) ++prefix.last;
    add(prefix, starts_of(prefix));
  }

  void add(const SharedPrefix& prefix, const std::vector<size_t>& starts) {
    if (!seen_.emplace(prefix.length, prefix.first).second) return;
    Repeat repeat{static_cast<size_t>(prefix.length), {}};
    for (const size_t start : starts) {
      if (repeat.starts.empty() || start >= repeat.starts.back() + repeat.length) repeat.starts.push_back(start);
    }
    if (repeat.starts.size() >= fewest_ && repeat.saving() > 0) repeats_.push_back(std::move(repeat));
  }

  const Suffixes suffixes_;
  const int32_t shortest_;
  const size_t fewest_;
  std::set<std::pair<int32_t, int32_t>> seen_;  // length, first
  std::vector<Repeat> repeats_;
};

}  // namespace

std::vector<Repeat> find_repeats(std::span<const int32_t> tokens, size_t shortest, size_t fewest) {
  return RepeatFinder(tokens, shortest, fewest).run();
}

}  // namespace foreflow::transform
