// Offsets of elements in row-major tensors, and copies of elements of any dtype by offset.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

using Offsets = std::vector<int64_t>;

// Row-major strides, in elements.
Offsets strides_of(const Dims& dims);

// offset + sum over axes of position * stride, for every position of `dims` in row-major order.
Offsets offsets_of(std::span<const int64_t> dims, std::span<const int64_t> strides, int64_t offset = 0);

// For every element of `result`: the offset of the element that broadcasting a tensor of shape `operand` puts there.
Offsets broadcast_offsets(const Dims& operand, const Dims& result);

// A tensor of shape `dims` whose element i is element offsets[i] of `from`.
Array take(const Array& from, const Dims& dims, const Offsets& offsets);

// Writes element i of `from` to element offsets[i] of `to`, whose elements no other array may share.
void put(Array& to, const Offsets& offsets, const Array& from);

}  // namespace foreflow::ops
