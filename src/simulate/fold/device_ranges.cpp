#include "simulate/fold/device_ranges.h"

namespace foreflow::simulate {

std::vector<stream::DeviceRange> ranges(const std::vector<int32_t>& ascending) {
  constexpr size_t kLeast = 3;  // numbers that make a range of another step than 1
  std::vector<stream::DeviceRange> result;
  for (size_t i = 0; i < ascending.size();) {
    const int32_t step = i + 1 < ascending.size() ? ascending[i + 1] - ascending[i] : 1;
    size_t last        = i;
    while (last + 1 < ascending.size() && ascending[last + 1] - ascending[last] == step) ++last;
    if (step != 1 && last - i + 1 < kLeast) last = i;
    result.push_back({ascending[i], ascending[last], last == i ? 1 : step});
    i = last + 1;
  }
  return result;
}

}  // namespace foreflow::simulate
