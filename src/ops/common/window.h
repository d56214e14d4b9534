// Windows that slide over the spatial dimensions of x[n,c,spatial..]: the geometry of convolutions and pools.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

using Sizes = std::vector<int64_t>;  // one number for each spatial dimension

// Tap t of the window at position p covers element p * stride - begin + t * dilation of the input.
struct Window {
  Sizes input, kernel, stride, dilation, begin, end;
  Sizes output;  // positions; kUnknown where the input is unknown

  int64_t positions() const;
  int64_t taps() const;
};

Sizes spatial(const Dims& dims);

// [n, channels, sizes..].
Dims with_spatial(int64_t n, int64_t channels, const Sizes& sizes);

// The list attribute `name`, or `fallback` for every spatial dimension; fails when the length is not `rank`.
Sizes sizes_attribute(const OpCall& call, std::string_view name, size_t rank, int64_t fallback);

// Reads strides, dilations, pads, auto_pad and ceil_mode. Fails where the window is larger than the padded input.
Window window_of(const OpCall& call, const Dims& x, const Sizes& kernel);

// The attribute `group` of a convolution, 1 without it: how many runs of channels meet only each other. Fails below 1.
int64_t group_of(const OpCall& call);

// The attributes that give this window again: kernel_shape, strides, dilations and pads, and `group` of the call.
Attributes window_attributes(const OpCall& call, const Window& window);

// Emits the sum of a gradient [n,c,..] over all but c: that of a bias. Operand 0 of the op has the same rank.
int emit_channel_sums(GradBuilder& builder, int gradient);

// Taps that lie in the padding, and behind it (where ceil_mode lets the last window reach).
inline constexpr int64_t kInPadding = -1, kBehindPadding = -2;

// The element of one input plane that each tap of each position covers: [positions, taps].
std::vector<int64_t> covered(const Window& window);

}  // namespace foreflow::ops
