#include "simulate/rounds/repeats.h"

#include <cmath>

namespace foreflow::simulate {
namespace {

constexpr double kRepeatRounding = 2e-11;  // of the makespan

class Comparison {
 public:
  Comparison(const stream::Timeline& timeline, const stream::Timeline& longer, Seconds later)
      : timeline_(timeline), longer_(longer), later_(later), tolerance_((kRepeatRounding * longer.makespan).value()) {}

  // Stream number `s`, of which the part repeats `stretch`.
  bool holds(size_t s, const Part& part, const Stretch& stretch) const {
    const auto &before = timeline_.records[s], &after = longer_.records[s];
    const auto [first, count] = stretch;
    const size_t added        = count * static_cast<size_t>(part.each);
    if (after.size() != before.size() + added) return false;
    const Seconds begins = later_ - part.one_time();
    for (size_t i = 0; i < first + count; ++i) {
      if (!is_later(after[i], before[i], begins)) return false;
    }
    for (size_t i = first + count; i < first + count + added; ++i) {
      const size_t copies = (i - first) / count;
      if (!is_later(after[i], before[i - copies * count], begins + static_cast<double>(copies) * part.steady.period))
        return false;
    }
    for (size_t i = first + count; i < before.size(); ++i) {
      if (!is_later(after[i + added], before[i], later_)) return false;
    }
    return true;
  }

 private:
  bool is_later(const stream::Record& after, const stream::Record& before, Seconds shift) const {
    const auto close = [&](Seconds a, Seconds b) { return std::fabs((a - b - shift).value()) <= tolerance_; };
    return close(after.start, before.start) && close(after.end, before.end);
  }

  const stream::Timeline &timeline_, &longer_;
  const Seconds later_;
  const double tolerance_;  // seconds
};

}  // namespace

bool repeats_one_time_more(const stream::Program& program, const stream::Timeline& timeline,
                           const stream::Timeline& longer, const std::vector<Part>& parts) {
  const Comparison comparison(timeline, longer, later_by(parts));
  for (const Part& part : parts) {
    for (size_t i = 0; i < part.streams.size(); ++i) {
      const size_t s       = part.streams[i];
      const Stretch& whole = {program.streams[s].items.size(), 0};
      if (!comparison.holds(s, part, part.steady.loops == 0 ? whole : part.steady.stretches[i])) return false;
    }
  }
  return true;
}

}  // namespace foreflow::simulate
