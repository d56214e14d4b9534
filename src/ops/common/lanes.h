// A tensor as lanes: the runs of elements that a softmax, a normalisation or a concatenation works along.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// Row-major [outer, length, inner]; a lane fixes outer and inner.
struct Lanes {
  size_t outer = 1, length = 1, inner = 1;

  size_t count() const { return outer * inner; }
  size_t at(size_t lane, size_t i) const { return (lane / inner * length + i) * inner + lane % inner; }
};

// Lanes along one axis.
inline Lanes lanes_along(const Dims& dims, size_t axis) {
  Lanes lanes;
  for (size_t i = 0; i < dims.size(); ++i) {
    (i < axis ? lanes.outer : i == axis ? lanes.length : lanes.inner) *= static_cast<size_t>(dims[i]);
  }
  return lanes;
}

// Lanes along all axes from `axis` on.
inline Lanes lanes_from(const Dims& dims, size_t axis) {
  Lanes lanes;
  for (size_t i = 0; i < dims.size(); ++i) (i < axis ? lanes.outer : lanes.length) *= static_cast<size_t>(dims[i]);
  return lanes;
}

}  // namespace foreflow::ops
