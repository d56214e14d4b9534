#include "simulate/rounds/steady_state.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "foreflow/base/nth.h"
#include "simulate/rounds/components.h"

namespace foreflow::simulate {
namespace {

constexpr double kShiftRounding = 1e-11;  // of the makespan

class SteadyFinder {
 public:
  SteadyFinder(const FoldedProgram& folded, const stream::Timeline& timeline)
      : folded_(folded),
        program_(folded.program),
        timeline_(timeline),
        kinds_(folded.kind_of_instance),
        tolerance_(kShiftRounding * timeline.makespan.value()),
        found_{1, Stretches(program_.streams.size()), std::vector<int64_t>(program_.streams.size(), 1),
               std::vector<Seconds>(program_.streams.size())} {}

  std::optional<SteadyState> run(const Stretches& loop) && {
    for (const std::vector<size_t>& streams : components(folded_, loop)) {
      const bool loops = std::any_of(streams.begin(), streams.end(), [&](size_t s) { return loop[s].count > 0; });
      if (!loops) continue;
      if (!find(streams)) return {};
      const auto here = loops_in(streams, loop);
      if (!here) return {};
      found_.loops = std::lcm(found_.loops, *here);
      for (const size_t s : streams) found_.times[s] = *here;
    }
    for (size_t s = 0; s < program_.streams.size(); ++s) {
      if (found_.stretches[s].count > 0) found_.times[s] = found_.loops / found_.times[s];
      found_.periods[s] = static_cast<double>(found_.times[s]) * found_.periods[s];
    }
    return std::move(found_);
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

  // The shortest stretches of these streams that repeat.
  bool find(const std::vector<size_t>& streams) {
    const auto items = [&](size_t stream) { return program_.streams[stream].items.size(); };
    const size_t stream =
        *std::max_element(streams.begin(), streams.end(), [&](size_t a, size_t b) { return items(a) < items(b); });
    const size_t length = items(stream);
    for (size_t count = 1; 3 * count <= length; ++count) {
      // After the middle, because the state is steadiest before the last microbatches start.
      for (const size_t first : {length / 2, length / 2 + length / 8, length / 2 - length / 8}) {
        if (repeats(stream, first, count) && find_around(stream, first, count, streams)) return true;
      }
    }
    return false;
  }

  // The stretches of all these streams, where they repeat as well.
  bool find_around(size_t reference, size_t first, size_t count, const std::vector<size_t>& streams) {
    const double from   = start(reference, first);
    const double period = start(reference, first + count) - from;
    if (!(period > tolerance_)) return false;
    for (const size_t stream : streams) {
      const size_t begin = first_from(stream, from), end = first_from(stream, from + period);
      if (!repeats(stream, begin, end - begin, period) || !keeps_up(stream, begin, end - begin, period)) return false;
      // An idle stream: it has no items in the stretch before this one either.
      if (begin == end && first_from(stream, from - period) != begin) return false;
      found_.stretches[stream] = {begin, end - begin};
      found_.periods[stream]   = Seconds(period);
    }
    return keep_memory(program_, found_.stretches);
  }

  // The number of stretches of the loop in those that were found, which is the same for all these streams.
  std::optional<int64_t> loops_in(const std::vector<size_t>& streams, const Stretches& loop) const {
    std::optional<int64_t> number;
    for (const size_t s : streams) {
      const size_t one = loop[s].count, many = found_.stretches[s].count;
      if (one == 0 && many == 0) continue;
      if (one == 0 || many == 0 || many % one != 0) return {};
      const auto here = static_cast<int64_t>(many / one);
      if (number && *number != here) return {};
      number = here;
    }
    return number;
  }

  // The first item that starts at this time or later.
  size_t first_from(size_t stream, double time) const {
    const auto& records = timeline_.records[stream];
    const auto found =
        std::lower_bound(records.begin(), records.end(), time - 2 * tolerance_,
                         [](const stream::Record& record, double from) { return record.start.value() < from; });
    return static_cast<size_t>(found - records.begin());
  }

  const FoldedProgram& folded_;
  const stream::Program& program_;
  const stream::Timeline& timeline_;
  const std::vector<int32_t>& kinds_;
  const double tolerance_;  // seconds
  SteadyState found_;
};

}  // namespace

std::optional<SteadyState> steady_state(const FoldedProgram& folded, const stream::Timeline& timeline,
                                        const Stretches& loop) {
  return SteadyFinder(folded, timeline).run(loop);
}

}  // namespace foreflow::simulate
