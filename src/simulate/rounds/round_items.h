// The items of one stream as numbers, in which stretches that repeat themselves are looked for.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "simulate/rounds/stretches.h"

namespace foreflow::simulate {

// How many communications there are of each kind, by ascending kinds; of others there are none.
using Counts = std::vector<std::pair<int32_t, int64_t>>;

// The numbers are equal for equal items at which as many calls begin: a stream that does the same for every layer of a
// stage repeats itself once a call only.
class RoundItems {
 public:
  // Keeps `depths`. `kinds`: of instances.
  RoundItems(const stream::Stream& stream, const std::vector<int32_t>& kinds,
             const std::vector<Courses::Depth>& depths);

  size_t size() const { return codes_.size(); }
  // The number of calls that begin in the stretch at this depth of nesting.
  int64_t calls(const Stretch& stretch, int32_t outside) const;
  Counts communications(const Stretch& stretch) const;
  // Of the whole stream.
  const Counts& communications() const { return all_; }

  // The shortest stretch that covers all items at which calls begin at this depth.
  Stretch with_calls(int32_t outside) const;
  // The shortest stretch that covers all communications of kinds for which `is` is true.
  template <class Is>
  Stretch with_kinds(const Is& is) const {
    return covering(
        [&](size_t item) { return kinds_[item] >= 0 && is(all_[static_cast<size_t>(kinds_[item])].first); });
  }

  // The numbers of the items at which more than `often` calls begin at this depth.
  std::set<int32_t> beginning_calls(int32_t outside, int64_t often) const;
  bool has_all(const Stretch& stretch, std::set<int32_t> numbers) const;

  // The shortest stretch around the middle of `within` that repeats and is right, or nothing.
  template <class Right>
  std::optional<Stretch> shortest(const Stretch& within, const Right& right) const {
    const size_t centre = within.first + within.count / 2, aside = within.count / 8;
    for (size_t count = 1; 3 * count <= codes_.size(); ++count) {
      for (const size_t middle : {centre, centre - aside, centre + aside}) {
        const Stretch stretch{middle - std::min(middle, count / 2), count};
        if (repeats(stretch) && right(stretch)) return stretch;
      }
    }
    return {};
  }

  // The stretch that is `times` as long, if it repeats as well.
  std::optional<Stretch> lengthened(const Stretch& stretch, size_t times) const;

 private:
  // True if there is an equal stretch before this one and another one after it.
  bool repeats(const Stretch& stretch) const;
  bool begins_call(size_t item, int32_t outside) const {
    return (*depths_)[item].begun <= outside && outside < (*depths_)[item].all;
  }
  template <class Is>
  Stretch covering(const Is& is) const {
    size_t first = 0, end = size();
    while (first < end && !is(first)) ++first;
    while (end > first && !is(end - 1)) --end;
    return {first, end - first};
  }

  const std::vector<Courses::Depth>* depths_;
  std::map<std::tuple<int32_t, int32_t, int32_t, int32_t>, int32_t> numbers_;
  std::vector<int32_t> codes_;  // by item
  std::vector<int32_t> kinds_;  // by item: index into all_; -1: a compute
  Counts all_;
};

}  // namespace foreflow::simulate
