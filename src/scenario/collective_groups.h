// The groups of devices that may have collective algorithms of their own, one row each: the keys of "collective" that
// hold an object.
#pragma once

#include <string_view>
#include <vector>

#include "foreflow/scenario/scenario.h"

namespace foreflow::scenario {

struct CollectiveGroup {
  std::string_view name;  // "tp"
  // The numbers of the ranks of one group: the distance between neighbours, and how many there are.
  lower::GroupAlgorithms (*ranks)(const Strategy& strategy);
};

const std::vector<CollectiveGroup>& collective_groups();

}  // namespace foreflow::scenario
