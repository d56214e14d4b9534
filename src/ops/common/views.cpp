#include "ops/common/views.h"

#include <cstring>

namespace foreflow::ops {

Offsets strides_of(const Dims& dims) {
  Offsets strides(dims.size(), 1);
  for (size_t axis = dims.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * dims[axis];
  return strides;
}

Offsets offsets_of(std::span<const int64_t> dims, std::span<const int64_t> strides, int64_t offset) {
  FOREFLOW_CHECK(dims.size() == strides.size(), "one stride a dimension");
  Offsets offsets{offset};
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    Offsets finer;
    finer.reserve(offsets.size() * static_cast<size_t>(dims[axis]));
    for (const int64_t start : offsets) {
      for (int64_t i = 0; i < dims[axis]; ++i) finer.push_back(start + i * strides[axis]);
    }
    offsets = std::move(finer);
  }
  return offsets;
}

Offsets broadcast_offsets(const Dims& operand, const Dims& result) {
  const Offsets own  = strides_of(operand);
  const size_t extra = result.size() - operand.size();
  Offsets strides(result.size(), 0);
  for (size_t axis = 0; axis < operand.size(); ++axis) strides[axis + extra] = operand[axis] == 1 ? 0 : own[axis];
  return offsets_of(result, strides);
}

Array take(const Array& from, const Dims& dims, const Offsets& offsets) {
  Array to(from.dtype(), dims);
  FOREFLOW_CHECK(static_cast<size_t>(to.size()) == offsets.size(), "one offset an element");
  const auto width = static_cast<size_t>(size_of(from.dtype()));
  for (size_t i = 0; i < offsets.size(); ++i) {
    FOREFLOW_CHECK(offsets[i] >= 0 && offsets[i] < from.size(), "an element is read within its tensor");
    std::memcpy(to.mutable_bytes() + i * width, from.bytes() + static_cast<size_t>(offsets[i]) * width, width);
  }
  return to;
}

void put(Array& to, const Offsets& offsets, const Array& from) {
  FOREFLOW_CHECK(static_cast<size_t>(from.size()) == offsets.size() && from.dtype() == to.dtype(),
                 "one offset an element");
  const auto width = static_cast<size_t>(size_of(from.dtype()));
  for (size_t i = 0; i < offsets.size(); ++i) {
    FOREFLOW_CHECK(offsets[i] >= 0 && offsets[i] < to.size(), "an element is written within its tensor");
    std::memcpy(to.mutable_bytes() + static_cast<size_t>(offsets[i]) * width, from.bytes() + i * width, width);
  }
}

}  // namespace foreflow::ops
