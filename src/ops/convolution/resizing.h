// How Resize maps the elements of its result to those of its operand.
#pragma once

#include "ops/common/sampling.h"

namespace foreflow::ops {

// The factor and the new size of every axis.
struct Resizing {
  std::vector<double> scales;
  std::vector<double> roi_begin, roi_end;  // the part of each axis that is taken, where cropped
  Dims dims;
  bool by_size = false, cropped = false;

  // Returns true if that axis stays as it is.
  bool keeps(size_t axis) const { return scales[axis] == 1 && !cropped; }
};

// Operands are x, roi, scales, sizes; before opset 11 only x, scales.
size_t scales_operand(const OpCall& call);

// Null if the scales or sizes are not known. Fails if their number is not that of the axes.
std::optional<Resizing> resizing_of(const OpCall& call, const Dims& x);

// How an axis of `before` elements is sampled, by the formulas of the standard. As in ONNX's reference implementation,
// the length scale * before is not rounded.
AxisSampling sampling_of(const OpCall& call, const Resizing& resizing, size_t axis, int64_t before);

Factors resizing_factors(const OpCall& call, size_t tensors);

}  // namespace foreflow::ops
