#include "simulate/link_use.h"

#include <algorithm>
#include <map>

namespace foreflow::simulate {
namespace {

// Total length of the union.
Seconds covered(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
  Seconds total(0), reached(0);
  for (const auto& [start, end] : intervals) {
    if (end <= reached) continue;
    total += end - std::max(start, reached);
    reached = end;
  }
  return total;
}

}  // namespace

std::vector<stream::LinkUse> link_uses(const Footprints& footprints, const std::vector<std::vector<Interval>>& flows,
                                       size_t links) {
  std::vector<stream::LinkUse> uses(links, {Bytes(0), Seconds(0)});
  std::vector<std::vector<size_t>> users(links);  // phases
  for (size_t i = 0; i < footprints.phases.size(); ++i) {
    if (flows[i].empty()) continue;
    const Phase& phase = footprints.phases[i];
    for (const auto& [link, weight] : phase.crossings) {
      uses[static_cast<size_t>(link)].bytes += static_cast<double>(flows[i].size()) * weight * phase.bytes;
      users[static_cast<size_t>(link)].push_back(i);
    }
  }
  // Most links share their users with many others (all links of one ring), so each set of users is worked out once.
  std::map<std::vector<size_t>, Seconds> busy;
  for (size_t link = 0; link < links; ++link) {
    const auto [found, is_new] = busy.try_emplace(users[link], Seconds(0));
    if (is_new) {
      std::vector<Interval> intervals;
      for (const size_t user : users[link]) intervals.insert(intervals.end(), flows[user].begin(), flows[user].end());
      found->second = covered(std::move(intervals));
    }
    uses[link].busy = found->second;
  }
  return uses;
}

}  // namespace foreflow::simulate
