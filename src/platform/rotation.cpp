#include "foreflow/platform/rotation.h"

namespace foreflow::platform {

Rotation::Rotation(int parts, const std::vector<int>& ends) : parts_(parts) {
  int begin = 0;
  for (const int end : ends) {
    if (end > begin || ends.size() == 1) ranges_.push_back({begin, end, (end - begin) / parts, begin / parts});
    begin = end;
  }
}

Rotation Rotation::by(int step) const {
  std::vector<int> ends;
  for (const Range& range : ranges_) ends.push_back(range.end);
  return {parts_ / step, ends};
}

int Rotation::first_link(int orbit) const {
  size_t in = 0;
  while (orbit >= ranges_[in].first_orbit + ranges_[in].of_part) ++in;
  return ranges_[in].begin + orbit - ranges_[in].first_orbit;
}

}  // namespace foreflow::platform
