#include "simulate/network/link_use.h"

#include <algorithm>
#include <iterator>

#include "foreflow/base/nth.h"
#include "simulate/network/partition.h"

namespace foreflow::simulate {
namespace {

struct Interval {
  Seconds start, end;
};
using Intervals = std::vector<Interval>;

bool starts_before(const Interval& a, const Interval& b) { return a.start < b.start; }

// The union, in order: no two of the result meet.
Intervals united(Intervals intervals) {
  if (!std::is_sorted(intervals.begin(), intervals.end(), starts_before))
    std::sort(intervals.begin(), intervals.end(), starts_before);
  Intervals result;
  for (const Interval& next : intervals) {
    if (!result.empty() && next.start <= result.back().end) {
      result.back().end = std::max(result.back().end, next.end);
    } else {
      result.push_back(next);
    }
  }
  return result;
}

Seconds length(const Intervals& intervals) {
  Seconds total(0);
  for (const auto& [start, end] : intervals) total += end - start;
  return total;
}

// Time with a flow of any of `loads`, of which each has its own `intervals`.
Seconds covered(const std::vector<size_t>& loads, const std::vector<Intervals>& intervals) {
  if (loads.size() == 1) return length(intervals[loads[0]]);
  Intervals all, merged;
  for (const size_t load : loads) {
    merged.clear();
    std::merge(all.begin(), all.end(), intervals[load].begin(), intervals[load].end(), std::back_inserter(merged),
               starts_before);
    all.swap(merged);
  }
  return length(united(std::move(all)));
}

}  // namespace

std::vector<stream::LinkUse> link_uses(const stream::Program& program, const stream::Timeline& timeline, size_t links) {
  std::vector<Bytes> bytes(timeline.loads.size(), Bytes(0));
  std::vector<Intervals> intervals(timeline.loads.size());
  for (const stream::Flow& flow : timeline.flows) {
    const auto load           = static_cast<size_t>(flow.load);
    const auto& communication = nth(program.instances, flow.instance).communication;
    bytes[load] += nth(program.communications, communication).bytes;
    intervals[load].push_back({flow.start, flow.end});
  }

  std::vector<stream::LinkUse> uses(links, {Bytes(0), Seconds(0)});
  Partition partition(links);  // by users: most links share theirs with many others
  for (size_t load = 0; load < timeline.loads.size(); ++load) {
    if (intervals[load].empty()) continue;
    intervals[load] = united(std::move(intervals[load]));
    partition.begin();
    for (const auto& [link, weight] : timeline.loads[load]) {
      nth(uses, link).bytes += weight * bytes[load];
      partition.say(static_cast<size_t>(link), 0);
    }
  }
  std::vector<std::vector<size_t>> users(partition.classes());  // loads
  for (size_t load = 0; load < timeline.loads.size(); ++load) {
    if (intervals[load].empty()) continue;
    for (const stream::Crossing& crossing : timeline.loads[load]) {
      auto& of_class = nth(users, partition.class_of(static_cast<size_t>(crossing.link)));
      if (of_class.empty() || of_class.back() != load) of_class.push_back(load);
    }
  }
  constexpr Seconds kUnknown(-1);
  std::vector<Seconds> busy(partition.classes(), kUnknown);
  for (size_t link = 0; link < links; ++link) {
    const auto number = static_cast<size_t>(partition.class_of(link));
    Seconds& known    = busy[number];
    if (known == kUnknown) known = covered(users[number], intervals);
    uses[link].busy = known;
  }
  return uses;
}

}  // namespace foreflow::simulate
