#include "platform/core_distances.h"

namespace foreflow::platform {
namespace {

constexpr size_t kMostHeld = size_t{1} << 25;  // numbers of 8 bytes; beyond it we start again

}  // namespace

const std::vector<Cost>& CoreDistances::costs(int target) const {
  std::vector<Cost>& costs = known_[static_cast<size_t>(target)];
  if (!costs.empty()) return costs;
  if (held_ > kMostHeld) {
    for (std::vector<Cost>& old : known_) old = {};
    held_ = 0;
  }
  costs = costs_to(network_, target);
  held_ += costs.size();
  return costs;
}

}  // namespace foreflow::platform
