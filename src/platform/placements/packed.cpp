// node0: 0 1 2 3   node1: 4 5 6 7
#include <algorithm>

#include "foreflow/platform/placement.h"

namespace foreflow::platform::definitions::packed {
namespace {

std::vector<int> order(const Platform&, std::vector<int> candidates, uint64_t) {
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

}  // namespace

PlacementDef row() { return {"packed", "one node after another, as the platform lists its devices", order}; }

}  // namespace foreflow::platform::definitions::packed
