// Which elements Resize and its gradient connect, axis by axis: interpolation is separable.
#pragma once

#include "ops/op.h"

namespace foreflow::ops {

// The factor and the new size of every axis.
struct ResizeTarget {
  std::vector<double> scales;
  Dims dims;
  bool by_size = false;

  bool resizes(const Dims& x, size_t axis) const { return x[axis] != dims[axis] || scales[axis] != 1; }
};

// The attribute `scales`, whether written as floats or as integers; null: there is none.
std::optional<std::vector<double>> scales_attribute(const OpCall& call);

// Of a Resize of x, from its attributes or operands. Null: the scales or sizes are not known yet.
std::optional<ResizeTarget> resize_target(const OpCall& call, const Dims& x);

// An element of the result is (1 - weight) * x[low] + weight * x[high].
struct ResizeTap {
  size_t low = 0, high = 0;
  double weight = 0;
};

// For element i of the `after` elements along an axis that had `before`. Reads `mode`, `nearest_mode` and
// `coordinate_transformation_mode`; fails for modes that cannot be evaluated.
ResizeTap resize_tap(const OpCall& call, int64_t i, double scale, int64_t before, int64_t after);

}  // namespace foreflow::ops
