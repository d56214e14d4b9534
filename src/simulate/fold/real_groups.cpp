#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/stream/placed.h"
#include "simulate/fold/compact_colours.h"
#include "simulate/footprint/footprint_maker.h"

namespace foreflow::simulate {
namespace {

// The ranks of a group in one replica, or in all of them (-1).
std::vector<int> ranks_of(const stream::CompactProgram& program, const Group& group, int32_t replica) {
  std::vector<int> ranks;
  const int32_t first = replica < 0 ? 0 : replica, last = replica < 0 ? program.replicas - 1 : replica;
  ranks.reserve(group.members.size() * static_cast<size_t>(last - first + 1));
  for (int32_t r = first; r <= last; ++r) {
    for (const int32_t member : group.members)
      ranks.push_back(nth(program.streams, member).device - program.first_device + r * program.of_replica);
  }
  return ranks;
}

std::vector<int> places_of(const stream::CompactProgram& program, const std::vector<int>& ranks) {
  std::vector<int> places;
  places.reserve(ranks.size());
  for (const int rank : ranks) places.push_back(program.place_of_rank(rank));
  return places;
}

class RealGroupMaker {
 public:
  RealGroupMaker(const stream::CompactProgram& program, const Courses& courses, int32_t replicas, FootprintMaker& maker)
      : program_(program),
        courses_(courses),
        replicas_(replicas),
        maker_(maker),
        placed_(program, result_.communications) {
    result_.communications = program.communications;
  }

  RealGroups run() && {
    reserve();
    for (size_t g = 0; g < courses_.groups().size(); ++g) {
      const Group& group = courses_.groups()[g];
      result_.first.push_back(static_cast<int32_t>(result_.rows.size()));
      const int32_t first = group.of_all_replicas ? -1 : 0, last = group.of_all_replicas ? -1 : replicas_ - 1;
      if (group.hand_over) {
        add_hand_overs(static_cast<int32_t>(g), group, first, last);
        continue;
      }
      for (int32_t replica = first; replica <= last; ++replica) add(static_cast<int32_t>(g), group, replica);
    }
    return std::move(result_);
  }

 private:
  void reserve() {
    size_t rows = 0, hand_overs = 0;
    for (const Group& group : courses_.groups()) {
      const size_t own = group.of_all_replicas ? 1 : static_cast<size_t>(replicas_);
      rows += own;
      if (group.hand_over) hand_overs += own;
    }
    result_.first.reserve(courses_.groups().size());
    result_.rows.reserve(rows);
    maker_.reserve(rows - hand_overs);
  }

  void add(int32_t number, const Group& group, int32_t replica) {
    const std::vector<int> ranks = ranks_of(program_, group, replica);
    const int32_t communication  = placed_.of(group.communication, ranks);
    const int32_t footprint      = maker_.add(nth(result_.communications, communication), places_of(program_, ranks),
                                              static_cast<int32_t>(result_.rows.size()));
    result_.rows.push_back({number, replica, communication, footprint});
  }

  // Adds the hand-overs of replicas `first` to `last`. They differ only in their device.
  void add_hand_overs(int32_t number, const Group& group, int32_t first, int32_t last) {
    const int32_t communication = placed_.of(group.communication, ranks_of(program_, group, first));
    for (int32_t replica = first; replica <= last; ++replica)
      result_.rows.push_back({number, replica, communication, -1});
  }

  const stream::CompactProgram& program_;
  const Courses& courses_;
  const int32_t replicas_;  // that have groups of their own
  FootprintMaker& maker_;
  RealGroups result_;
  stream::PlacedCommunications placed_;
};

}  // namespace

RealGroups real_groups(const stream::CompactProgram& program, const Courses& courses, const Orbits& orbits,
                       const platform::Platform& platform, const std::vector<LinkTrace>& traces,
                       GroupRouteTable* routes, Footprints& footprints) {
  FootprintMaker maker(platform, traces, routes);
  RealGroups result = RealGroupMaker(program, courses, orbits.replicas, maker).run();
  footprints        = std::move(maker).take();
  return result;
}

Execution execution_of(const stream::CompactProgram& program, const Courses& courses, const RealGroups& groups,
                       int32_t number) {
  const RealGroups::Row& row = nth(groups.rows, number);
  const Group& group         = nth(courses.groups(), row.group);
  Execution execution{
      &nth(groups.communications, row.communication), {}, places_of(program, ranks_of(program, group, row.replica))};
  const int32_t first = row.replica < 0 ? 0 : row.replica, last = row.replica < 0 ? program.replicas - 1 : row.replica;
  for (int32_t r = first; r <= last; ++r) {
    for (const int32_t member : group.members)
      execution.streams.push_back(member + r * static_cast<int32_t>(program.streams.size()));
  }
  std::sort(execution.streams.begin(), execution.streams.end());
  return execution;
}

bool are_kept(const RealGroups& groups, const Orbits& orbits, const Footprints& footprints) {
  if (orbits.images == 1) return true;
  std::set<int32_t> loads;
  for (const RealGroups::Row& row : groups.rows) {
    if (row.replica >= 0 || row.footprint < 0) continue;
    for (const Phase& phase : footprints.phases_of(nth(footprints.distinct, row.footprint))) loads.insert(phase.load);
  }
  return std::all_of(loads.begin(), loads.end(),
                     [&](int32_t load) { return load < 0 || is_kept(nth(footprints.loads, load), orbits.links); });
}

}  // namespace foreflow::simulate
