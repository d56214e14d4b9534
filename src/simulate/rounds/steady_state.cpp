#include "simulate/rounds/steady_state.h"

#include <algorithm>
#include <cmath>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {
namespace {

constexpr double kShiftRounding = 1e-11;  // of the makespan

}  // namespace

SteadyFinder::SteadyFinder(const FoldedProgram& folded, const stream::Timeline& timeline, const RoundStretches& loop,
                           int64_t more)
    : folded_(folded),
      timeline_(timeline),
      loop_(loop),
      more_(more),
      tolerance_(kShiftRounding * timeline.makespan.value()) {}

bool SteadyFinder::close(double a, double b) const { return std::fabs(a - b) <= tolerance_; }

bool SteadyFinder::same_item(size_t stream, size_t a, size_t b) const {
  const std::vector<stream::Item>& items = folded_.program.streams[stream].items;
  const auto kind                        = [&](const stream::Item& item) {
    return item.instance < 0 ? -1 : nth(folded_.kind_of_instance, item.instance);
  };
  return items[a].event == items[b].event && items[a].memory == items[b].memory && kind(items[a]) == kind(items[b]);
}

bool SteadyFinder::repeats(size_t stream, size_t first, size_t count, double period) const {
  if (first < count || first + 2 * count > folded_.program.streams[stream].items.size()) return false;
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
bool SteadyFinder::keeps_up(size_t stream, size_t first, size_t count, double period) const {
  if (timeline_.issued.empty() || count == 0) return true;
  const std::vector<stream::Issued>& host = timeline_.issued[stream];
  return (host[first + count].until - host[first].until).value() <= period + tolerance_;
}

std::optional<SteadyState> SteadyFinder::find(const std::vector<size_t>& streams) const {
  const auto items   = [&](size_t s) { return folded_.program.streams[s].items.size(); };
  const auto in_loop = [&](size_t s) {
    return loop_.loops[s].count + loop_.stretches[s].count * static_cast<size_t>(more_);
  };
  const size_t reference =
      *std::max_element(streams.begin(), streams.end(), [&](size_t a, size_t b) { return in_loop(a) < in_loop(b); });
  const size_t middle = loop_.loops[reference].first + in_loop(reference) / 2, aside = in_loop(reference) / 8;
  for (size_t count = 1; 3 * count <= items(reference); ++count) {
    // After the middle, because the state is steadiest before the last microbatches start.
    for (const size_t first : {middle, middle + aside, middle - aside}) {
      if (first + count >= items(reference)) continue;
      const double period = start(reference, first + count) - start(reference, first);
      if (!(period > tolerance_) || !repeats(reference, first, count, period)) continue;
      if (auto found = find_around(reference, first, count, streams)) return found;
    }
  }
  return {};
}

// The stretches of all these streams, where they repeat as well.
std::optional<SteadyState> SteadyFinder::find_around(size_t reference, size_t first, size_t count,
                                                     const std::vector<size_t>& streams) const {
  const double from = start(reference, first), period = start(reference, first + count) - from;
  SteadyState found{0, Seconds(period), Seconds(from + period), {}};
  for (const size_t stream : streams) {
    const size_t begin = first_from(stream, from), end = first_from(stream, from + period);
    if (!repeats(stream, begin, end - begin, period) || !keeps_up(stream, begin, end - begin, period)) return {};
    // An idle stream: it has no items in the stretch before this one either.
    if (begin == end && first_from(stream, from - period) != begin) return {};
    found.stretches.push_back({begin, end - begin});
  }
  found.loops = loops_in(found.stretches, streams);
  if (found.loops == 0 || !keep_memory(folded_.program, streams, found.stretches)) return {};
  return found;
}

int64_t SteadyFinder::loops_in(const Stretches& found, const std::vector<size_t>& streams) const {
  int64_t number = 0;
  for (size_t i = 0; i < streams.size(); ++i) {
    const size_t one = loop_.stretches[streams[i]].count, many = found[i].count;
    if (one == 0 && many == 0) continue;
    if (one == 0 || many == 0 || many % one != 0) return 0;
    const auto here = static_cast<int64_t>(many / one);
    if (number != 0 && number != here) return 0;
    number = here;
  }
  return number;
}

size_t SteadyFinder::first_from(size_t stream, double time) const {
  const auto& records = timeline_.records[stream];
  const auto found =
      std::lower_bound(records.begin(), records.end(), time - 2 * tolerance_,
                       [](const stream::Record& record, double from) { return record.start.value() < from; });
  return static_cast<size_t>(found - records.begin());
}

}  // namespace foreflow::simulate
