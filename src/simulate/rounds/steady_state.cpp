#include "simulate/rounds/steady_state.h"

#include <algorithm>
#include <cmath>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {
namespace {

constexpr double kShiftRounding = 1e-11;  // of the makespan

class SteadyFinder {
 public:
  SteadyFinder(const stream::Program& program, const stream::Timeline& timeline, const std::vector<int32_t>& kinds)
      : program_(program), timeline_(timeline), kinds_(kinds), tolerance_(kShiftRounding * timeline.makespan.value()) {}

  std::optional<SteadyState> run() const {
    const auto longest = std::max_element(program_.streams.begin(), program_.streams.end(),
                                          [](const auto& a, const auto& b) { return a.items.size() < b.items.size(); });
    if (longest == program_.streams.end()) return {};
    const auto stream   = static_cast<size_t>(longest - program_.streams.begin());
    const size_t length = longest->items.size();
    for (size_t count = 1; 3 * count <= length; ++count) {
      // After the middle, because the state is steadiest before the last microbatches start.
      for (const size_t first : {length / 2, length / 2 + length / 8, length / 2 - length / 8}) {
        if (!repeats(stream, first, count)) continue;
        if (auto found = around(stream, first, count)) return found;
      }
    }
    return {};
  }

 private:
  bool close(double a, double b) const { return std::fabs(a - b) <= tolerance_; }

  bool same_item(size_t stream, size_t a, size_t b) const {
    const stream::Item &one = program_.streams[stream].items[a], &other = program_.streams[stream].items[b];
    const auto kind = [&](const stream::Item& item) { return item.instance < 0 ? -1 : nth(kinds_, item.instance); };
    return one.event == other.event && one.memory == other.memory && kind(one) == kind(other);
  }

  double start(size_t stream, size_t item) const { return timeline_.records[stream][item].start.value(); }

  // True if the `count` items before `first`, and those from `first` on, are repeated one period later.
  bool repeats(size_t stream, size_t first, size_t count) const {
    if (first < count || first + 2 * count > program_.streams[stream].items.size()) return false;
    if (count == 0) return true;
    return repeats(stream, first, count, start(stream, first + count) - start(stream, first));
  }
  bool repeats(size_t stream, size_t first, size_t count, double period) const {
    if (first < count || first + 2 * count > program_.streams[stream].items.size()) return false;
    for (size_t i = first - count; i < first + count; ++i) {
      const stream::Record &one = timeline_.records[stream][i], &other = timeline_.records[stream][i + count];
      if (!same_item(stream, i, i + count) || !close(other.start.value(), one.start.value() + period) ||
          !close(other.end.value(), one.end.value() + period))
        return false;
    }
    return true;
  }

  // A host that falls back in every period will be late in one of them. One that gets further ahead never is: where it
  // makes no difference once, it makes none later.
  bool keeps_up(size_t stream, size_t first, size_t count, double period) const {
    if (timeline_.issued.empty() || count == 0) return true;
    const std::vector<stream::Issued>& host = timeline_.issued[stream];
    return (host[first + count].until - host[first].until).value() <= period + tolerance_;
  }

  // The stretches of all streams, where they repeat as well.
  std::optional<SteadyState> around(size_t reference, size_t first, size_t count) const {
    const double from   = start(reference, first);
    const double period = start(reference, first + count) - from;
    if (!(period > tolerance_)) return {};
    SteadyState steady{{}, Seconds(period)};
    for (size_t stream = 0; stream < program_.streams.size(); ++stream) {
      const size_t begin = first_from(stream, from), end = first_from(stream, from + period);
      if (!repeats(stream, begin, end - begin, period) || !keeps_up(stream, begin, end - begin, period)) return {};
      // An idle stream: it has no items in the stretch before this one either.
      if (begin == end && first_from(stream, from - period) != begin) return {};
      steady.stretches.push_back({begin, end - begin});
    }
    if (!keep_memory(program_, steady.stretches)) return {};
    return steady;
  }

  // The first item that starts at this time or later.
  size_t first_from(size_t stream, double time) const {
    const auto& records = timeline_.records[stream];
    const auto found =
        std::lower_bound(records.begin(), records.end(), time - 2 * tolerance_,
                         [](const stream::Record& record, double from) { return record.start.value() < from; });
    return static_cast<size_t>(found - records.begin());
  }

  const stream::Program& program_;
  const stream::Timeline& timeline_;
  const std::vector<int32_t>& kinds_;
  const double tolerance_;  // seconds
};

}  // namespace

std::optional<SteadyState> steady_state(const stream::Program& program, const stream::Timeline& timeline,
                                        const std::vector<int32_t>& kind_of_instance) {
  return SteadyFinder(program, timeline, kind_of_instance).run();
}

bool is_one_period_more(const stream::Timeline& longer, const stream::Timeline& timeline, const SteadyState& steady) {
  const double tolerance = 2 * kShiftRounding * longer.makespan.value(), period = steady.period.value();
  for (size_t stream = 0; stream < timeline.records.size(); ++stream) {
    const auto& [first, count] = steady.stretches[stream];
    const auto &before = timeline.records[stream], &after = longer.records[stream];
    if (after.size() != before.size() + count) return false;
    for (size_t i = 0; i < after.size(); ++i) {
      const bool shifted           = i >= first + count;
      const stream::Record& record = before[shifted ? i - count : i];
      const double shift           = shifted ? period : 0;
      if (std::fabs(after[i].start.value() - record.start.value() - shift) > tolerance ||
          std::fabs(after[i].end.value() - record.end.value() - shift) > tolerance)
        return false;
    }
  }
  return true;
}

}  // namespace foreflow::simulate
