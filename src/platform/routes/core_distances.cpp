#include "platform/routes/core_distances.h"

#include "foreflow/base/nth.h"

namespace foreflow::platform {
namespace {

constexpr size_t kMostHeld = size_t{1} << 25;  // numbers of 8 bytes; beyond it we start again

}  // namespace

const std::vector<Cost>& CoreDistances::costs(int target, int from) const {
  std::unique_ptr<CostsTo>& search = nth(known_, target);
  if (search == nullptr) {
    if (held_ > kMostHeld) {
      for (std::unique_ptr<CostsTo>& old : known_) old.reset();
      held_ = 0;
    }
    search = std::make_unique<CostsTo>(network_, target);
    held_ += search->costs().size();
  }
  search->reach(network_, from);
  return search->costs();
}

}  // namespace foreflow::platform
