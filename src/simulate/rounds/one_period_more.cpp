#include "simulate/rounds/one_period_more.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {
namespace {

constexpr double kOfMakespan = 2e-11;  // of the makespan

// When items or flows of each shift begin and end on one device or link.
class Order {
 public:
  void add(double shift, double start, double end) {
    const auto found = spans_.try_emplace(shift, Span{start, end}).first;
    found->second    = {std::min(found->second.start, start), std::max(found->second.end, end)};
  }
  // True if all that is later by less ends before anything begins that is later by more.
  bool holds(double tolerance) const {
    double end = std::numeric_limits<double>::lowest();
    for (const auto& [shift, span] : spans_) {
      if (span.start < end - tolerance) return false;
      end = std::max(end, span.end);
    }
    return true;
  }
  bool empty() const { return spans_.empty(); }
  double least() const { return spans_.begin()->first; }  // if not empty

 private:
  struct Span {
    double start, end;
  };
  std::map<double, Span> spans_;  // by shift
};

class Comparison {
 public:
  Comparison(const stream::Program& program, const stream::Timeline& timeline, const stream::Timeline& longer,
             const SteadyState& steady)
      : program_(program),
        timeline_(timeline),
        longer_(longer),
        steady_(steady),
        tolerance_(kOfMakespan * longer.makespan.value()) {
    for (const Seconds period : steady.periods) shifts_.push_back(period.value());
    std::sort(shifts_.begin(), shifts_.end());
    const auto close = [this](double a, double b) { return b - a <= tolerance_; };
    shifts_.erase(std::unique(shifts_.begin(), shifts_.end(), close), shifts_.end());
  }

  bool run() {
    for (size_t s = 0; s < program_.streams.size(); ++s) {
      if (!stretches_repeat(s) || !read_shifts(s)) return false;
    }
    if (shifts_.size() == 1) return true;
    for (size_t s = 0; s < program_.streams.size(); ++s) wait_for(s);
    for (size_t s = 0; s < program_.streams.size(); ++s) {
      if (!follows(s)) return false;
    }
    return devices_in_order() && links_in_order();
  }

 private:
  size_t end_of(size_t s) const { return steady_.stretches[s].first + steady_.stretches[s].count; }
  // The number of items that are in `longer` only.
  size_t added(size_t s) const { return steady_.stretches[s].count * static_cast<size_t>(steady_.times[s]); }
  double period(size_t s) const { return steady_.periods[s].value(); }
  bool close(double a, double b) const { return std::fabs(a - b) <= tolerance_; }

  bool is_later(const stream::Record& after, const stream::Record& before, double shift) const {
    return close(after.start.value(), before.start.value() + shift) &&
           close(after.end.value(), before.end.value() + shift);
  }

  bool stretches_repeat(size_t s) const {
    const auto &before = timeline_.records[s], &after = longer_.records[s];
    const auto& [first, count] = steady_.stretches[s];
    if (after.size() != before.size() + added(s)) return false;
    for (size_t i = 0; i < first + count; ++i) {
      if (!is_later(after[i], before[i], 0)) return false;
    }
    const auto times = static_cast<double>(steady_.times[s]);
    for (size_t i = first + count; i < first + count + added(s); ++i) {
      const size_t copies = (i - first) / count;
      if (!is_later(after[i], before[i - copies * count], static_cast<double>(copies) / times * period(s)))
        return false;
    }
    return true;
  }

  // By how much each item behind the stretch is later: a period of some stream.
  bool read_shifts(size_t s) {
    const auto &before = timeline_.records[s], &after = longer_.records[s];
    std::vector<double>& shifts = behind_.emplace_back();
    for (size_t i = end_of(s); i < before.size(); ++i) {
      const stream::Record& later = after[i + added(s)];
      const auto shift            = known((later.start - before[i].start).value());
      if (!shift || !is_later(later, before[i], *shift)) return false;
      shifts.push_back(*shift);
    }
    return true;
  }
  std::optional<double> known(double shift) const {
    const auto found = std::find_if(shifts_.begin(), shifts_.end(), [&](double each) { return close(each, shift); });
    return found == shifts_.end() ? std::nullopt : std::optional(*found);
  }

  // By how much that which is before an item behind the stretch is later.
  double before(size_t s, size_t item) const {
    return item == end_of(s) ? *known(period(s)) : behind_[s][item - end_of(s) - 1];
  }

  void wait_for(size_t s) {
    const auto& items = program_.streams[s].items;
    for (size_t i = end_of(s); i < items.size(); ++i) {
      if (items[i].instance < 0) continue;
      double& longest = waits_.try_emplace(items[i].instance, before(s, i)).first->second;
      longest         = std::max(longest, before(s, i));
    }
  }

  // True if each item behind the stretch is as much later as the latest of those that it waits for.
  bool follows(size_t s) const {
    const auto& items = program_.streams[s].items;
    for (size_t i = end_of(s); i < items.size(); ++i) {
      double waits_for = before(s, i);
      if (items[i].instance >= 0) {
        const stream::Instance& instance = nth(program_.instances, items[i].instance);
        const bool hands_over =
            stream::is_hand_over(program_, instance) && nth(instance.members, 0) == static_cast<int32_t>(s);
        if (!hands_over) waits_for = waits_.at(items[i].instance);
      }
      if (behind_[s][i - end_of(s)] != waits_for) return false;
    }
    return true;
  }

  bool devices_in_order() const {
    std::vector<Order> orders(program_.devices.size());
    for (size_t s = 0; s < program_.streams.size(); ++s) {
      for (size_t i = end_of(s); i < timeline_.records[s].size(); ++i) {
        const stream::Record& record = timeline_.records[s][i];
        nth(orders, program_.streams[s].device)
            .add(behind_[s][i - end_of(s)], record.start.value(), record.end.value());
      }
    }
    return std::all_of(orders.begin(), orders.end(), [&](const Order& order) { return order.holds(tolerance_); });
  }

  // The period of the loop's flows on each link, and what is behind them.
  struct OnLink {
    double looped = 0;
    Order behind;
  };

  bool links_in_order() const {
    std::vector<std::optional<double>> later(program_.instances.size());  // of those behind the stretches
    std::vector<double> looped(program_.instances.size(), 0);             // the period of those in them
    for (size_t s = 0; s < program_.streams.size(); ++s) {
      const auto& items = program_.streams[s].items;
      for (size_t i = steady_.stretches[s].first; i < items.size(); ++i) {
        if (items[i].instance < 0) continue;
        if (i < end_of(s)) nth(looped, items[i].instance) = *known(period(s));
        if (i >= end_of(s)) nth(later, items[i].instance) = behind_[s][i - end_of(s)];
      }
    }
    std::map<int32_t, OnLink> links;
    for (const stream::Flow& flow : timeline_.flows) {
      for (const stream::Crossing& crossing : nth(timeline_.loads, flow.load)) {
        OnLink& link = links[crossing.link];
        link.looped  = std::max(link.looped, nth(looped, flow.instance));
        if (const auto& shift = nth(later, flow.instance))
          link.behind.add(*shift, flow.start.value(), flow.end.value());
      }
    }
    return std::all_of(links.begin(), links.end(), [&](const auto& link) {
      const auto& [looped, behind] = link.second;
      return behind.empty() || (behind.least() >= looped && behind.holds(tolerance_));
    });
  }

  const stream::Program& program_;
  const stream::Timeline &timeline_, &longer_;
  const SteadyState& steady_;
  const double tolerance_;                   // seconds
  std::vector<double> shifts_;               // the distinct periods, ascending
  std::vector<std::vector<double>> behind_;  // by stream and item behind the stretch: how much later it is
  std::map<int32_t, double> waits_;          // by instance behind the stretches: the longest of before()
};

}  // namespace

bool repeats_with_one_period_more(const stream::Program& program, const stream::Timeline& timeline,
                                  const stream::Timeline& longer, const SteadyState& steady) {
  return Comparison(program, timeline, longer, steady).run();
}

}  // namespace foreflow::simulate
