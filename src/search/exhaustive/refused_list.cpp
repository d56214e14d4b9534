#include "search/exhaustive/refused_list.h"

#include <algorithm>

namespace foreflow::search {

void RefusedList::add(const Refused& refused) {
  if (points_ >= kMostListed) return;
  const auto& [branch, refusal] = refused;
  points_ += branches_.points(branch);
  entries_.push_back({branch.region, branch.depth, branch.point.dump_compact(), refusal});
}

void RefusedList::list(Result& result) const {
  for (const Entry& entry : entries_) {
    const Branch branch{entry.region, entry.depth, parse_json(entry.point, "point")};
    const size_t room = kMostListed - std::min(kMostListed, result.infeasible.size());
    for (const Json& point : branches_.first_points(branch, room)) list_infeasible(result, point, entry.refusal);
  }
}

}  // namespace foreflow::search
