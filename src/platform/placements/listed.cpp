#include "foreflow/platform/placement.h"

namespace foreflow::platform::definitions::listed {
namespace {

std::vector<int> order(const Platform&, std::vector<int> candidates, uint64_t) { return candidates; }

}  // namespace

PlacementDef row() {
  return {.name      = "explicit",
          .doc       = "the devices that the scenario lists, in its order",
          .order     = order,
          .is_listed = true};
}

}  // namespace foreflow::platform::definitions::listed
