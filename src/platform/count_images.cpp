#include <algorithm>

#include "foreflow/platform/platform.h"

namespace foreflow::platform {
namespace {

// Returns true if the devices are blocks of `each`, the first among the first `of_block` devices of the machine.
bool are_blocks(const std::vector<int>& devices, size_t each, int of_block) {
  for (size_t i = 0; i < devices.size(); ++i) {
    if (i < each ? devices[i] >= of_block : devices[i] != devices[i - each] + of_block) return false;
  }
  return true;
}

}  // namespace

int count_images(const Platform& platform, const std::vector<int>& devices) {
  const int parts = platform.rotation().parts(), all = static_cast<int>(platform.devices().size());
  const int most = std::min(parts, static_cast<int>(devices.size()));
  for (int images = most; images > 1; --images) {
    const size_t each = devices.size() / static_cast<size_t>(images);
    if (parts % images == 0 && each * static_cast<size_t>(images) == devices.size() &&
        are_blocks(devices, each, all / images))
      return images;
  }
  return 1;
}

}  // namespace foreflow::platform
