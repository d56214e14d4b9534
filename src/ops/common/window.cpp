#include "ops/common/window.h"

#include <algorithm>
#include <numeric>

#include "foreflow/ir/countable.h"

namespace foreflow::ops {

namespace {

constexpr int64_t kLargestNumber = int64_t{1} << 40;  // of an attribute: sums of a few sizes stay within 63 bits

int64_t product(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, ir::clamped_product);
}

int64_t rounded_up(int64_t dividend, int64_t divisor) { return (dividend + divisor - 1) / divisor; }

// Elements from the first to the last that one window covers.
int64_t extent(const Window& window, size_t axis) {
  return ir::clamped_product(window.kernel[axis] - 1, window.dilation[axis]) + 1;
}

// SAME: as many positions as strides fit in the input; the odd element of padding goes to the end (UPPER) or the
// beginning.
void pad_same(Window& window, size_t axis, bool odd_at_end) {
  const int64_t positions = rounded_up(window.input[axis], window.stride[axis]);
  const int64_t total =
      std::max<int64_t>((positions - 1) * window.stride[axis] + extent(window, axis) - window.input[axis], 0);
  window.begin[axis] = odd_at_end ? total / 2 : total - total / 2;
  window.end[axis]   = total - window.begin[axis];
}

int64_t positions_along(const OpCall& call, const Window& window, size_t axis) {
  const int64_t input = window.input[axis], stride = window.stride[axis];
  if (input == Dims::kUnknown || window.kernel[axis] == Dims::kUnknown) return Dims::kUnknown;
  const int64_t room = input + window.begin[axis] + window.end[axis] - extent(window, axis);
  if (room < 0) {
    call.fail("a window of " + std::to_string(extent(window, axis)) + " does not fit in " + std::to_string(input) +
              " elements with padding " + std::to_string(window.begin[axis]) + " and " +
              std::to_string(window.end[axis]) + "; it should not be larger");
  }
  if (call.attributes.int_or("ceil_mode", 0) == 0) return room / stride + 1;
  const int64_t positions = rounded_up(room, stride) + 1;
  // A window that would begin in the padding at the end is left out.
  return (positions - 1) * stride >= input + window.begin[axis] ? positions - 1 : positions;
}

}  // namespace

int64_t Window::positions() const { return product(output); }
int64_t Window::taps() const { return product(kernel); }

Sizes spatial(const Dims& dims) { return dims.size() < 2 ? Sizes{} : Sizes(dims.begin() + 2, dims.end()); }

Dims with_spatial(int64_t n, int64_t channels, const Sizes& sizes) {
  Dims dims{n, channels};
  for (const int64_t size : sizes) dims.push_back(size);
  return dims;
}

Sizes sizes_attribute(const OpCall& call, std::string_view name, size_t rank, int64_t fallback) {
  const auto given = call.attributes.find_ints(name);
  if (!given || given->empty()) return Sizes(rank, fallback);
  if (given->size() != rank) {
    call.fail(std::string(name) + " has " + std::to_string(given->size()) + " numbers; " + std::to_string(rank) +
              " would be right");
  }
  for (const int64_t number : *given) {
    if (number < -kLargestNumber || number > kLargestNumber)
      call.fail(std::string(name) + " has " + std::to_string(number) + "; no window is so large");
  }
  return *given;
}

Window window_of(const OpCall& call, const Dims& x, const Sizes& kernel) {
  const size_t rank = kernel.size();
  if (x.size() != rank + 2)
    call.fail("x is " + to_string(x) + "; a window of " + std::to_string(rank) +
              " dimensions needs (N, C, ...) with as many");
  Window window{.input    = spatial(x),
                .kernel   = kernel,
                .stride   = sizes_attribute(call, "strides", rank, 1),
                .dilation = sizes_attribute(call, "dilations", rank, 1),
                .begin    = Sizes(rank, 0),
                .end      = Sizes(rank, 0),
                .output   = Sizes(rank, 0)};
  const auto positive = [](int64_t number) { return number > 0; };
  if (!std::all_of(window.stride.begin(), window.stride.end(), positive) ||
      !std::all_of(window.dilation.begin(), window.dilation.end(), positive)) {
    call.fail("strides and dilations should be positive");
  }
  if (std::any_of(kernel.begin(), kernel.end(), [](int64_t size) { return size < 1 && size != Dims::kUnknown; })) {
    call.fail("a window of no size; at least 1 in each dimension would be right");
  }
  const std::string auto_pad = call.attributes.string_or("auto_pad", "NOTSET");
  if (auto_pad == "NOTSET") {
    const Sizes pads = sizes_attribute(call, "pads", 2 * rank, 0);
    std::copy_n(pads.begin(), rank, window.begin.begin());
    std::copy_n(pads.begin() + static_cast<std::ptrdiff_t>(rank), rank, window.end.begin());
  } else if (auto_pad != "VALID" && auto_pad != "SAME_UPPER" && auto_pad != "SAME_LOWER") {
    call.fail("auto_pad is \"" + auto_pad + "\"; NOTSET, VALID, SAME_UPPER or SAME_LOWER would be right");
  }
  for (size_t axis = 0; axis < rank; ++axis) {
    if (auto_pad.starts_with("SAME") && window.input[axis] != Dims::kUnknown)
      pad_same(window, axis, auto_pad == "SAME_UPPER");
    window.output[axis] = positions_along(call, window, axis);
  }
  return window;
}

int64_t group_of(const OpCall& call) {
  const int64_t group = call.attributes.int_or("group", 1);
  if (group < 1) call.fail("group is " + std::to_string(group) + "; 1 or more would be right");
  return group;
}

Attributes window_attributes(const OpCall& call, const Window& window) {
  Sizes pads = window.begin;
  pads.insert(pads.end(), window.end.begin(), window.end.end());
  return {{"kernel_shape", window.kernel},
          {"strides", window.stride},
          {"dilations", window.dilation},
          {"pads", pads},
          {"group", call.attributes.int_or("group", 1)}};
}

int emit_channel_sums(GradBuilder& builder, int gradient) {
  const Type y = tensor_operand(builder.call(), 0);
  std::vector<int64_t> axes{0};
  for (size_t axis = 2; axis < y.dims.size(); ++axis) axes.push_back(static_cast<int64_t>(axis));
  return builder.emit("ReduceSum", {{"axes", axes}, {"keepdims", int64_t{0}}}, {gradient})[0];
}

std::vector<int64_t> covered(const Window& window) {
  std::vector<int64_t> elements;
  constexpr int64_t kMostElements = int64_t{1} << 27;
  const int64_t positions = window.positions(), taps = window.taps();
  if (ir::clamped_product(positions, taps) > kMostElements) {
    throw Error("window", "reads more than 2^27 elements, too many to evaluate");
  }
  elements.reserve(static_cast<size_t>(positions * taps));
  for (int64_t position = 0; position < positions; ++position) {
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t element = 0, size = 1, outside = 0, rest = position, rest_of_tap = tap;
      for (size_t axis = window.kernel.size(); axis-- > 0;) {
        const int64_t at = rest % window.output[axis] * window.stride[axis] - window.begin[axis] +
                           rest_of_tap % window.kernel[axis] * window.dilation[axis];
        if (at >= window.input[axis] + window.end[axis])
          outside = kBehindPadding;
        else if (at < 0 || at >= window.input[axis])
          outside = std::min(outside, kInPadding);
        element += at * size;
        size *= window.input[axis];
        rest /= window.output[axis];
        rest_of_tap /= window.kernel[axis];
      }
      elements.push_back(outside != 0 ? outside : element);
    }
  }
  return elements;
}

}  // namespace foreflow::ops
