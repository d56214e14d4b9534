#include "foreflow/platform/rotation.h"

#include <algorithm>

namespace foreflow::platform {

int Rotation::range(int link) const {
  return static_cast<int>(std::upper_bound(ends_.begin(), ends_.end(), link) - ends_.begin());
}

int Rotation::begin(int range) const { return range == 0 ? 0 : ends_[static_cast<size_t>(range) - 1]; }

int Rotation::end(int range) const { return ends_[static_cast<size_t>(range)]; }

int Rotation::orbit(int link) const {
  if (parts_ == 1) return link;
  const int in = range(link), first = begin(in);
  return first / parts_ + (link - first) % ((end(in) - first) / parts_);
}

int Rotation::first_link(int orbit) const {
  int in = 0;
  while (orbit >= end(in) / parts_) ++in;
  return begin(in) + orbit - begin(in) / parts_;
}

int Rotation::next(int link) const {
  const int in = range(link), first = begin(in), size = end(in) - first;
  return first + (link - first + size / parts_) % size;
}

}  // namespace foreflow::platform
