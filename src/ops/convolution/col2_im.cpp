#include <algorithm>

#include "ops/common/axes.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/window.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::col2_im {

namespace {

constexpr size_t kImage = 1, kBlock = 2;

// The window that takes blocks out of the image; null: not known yet.
std::optional<Window> window_over_image(const OpCall& call, const Type& x) {
  const Integers image = integers(call, "image_shape", kImage), block = integers(call, "block_shape", kBlock);
  if (!has_rank(x) || !image.list || !block.list) return std::nullopt;
  if (x.dims.size() != 3) call.fail("x is " + to_string(x.dims) + "; it should be (N, C * block, blocks)");
  const auto positive = [](const std::vector<int64_t>& sizes) {
    return std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size > 0; });
  };
  if (!positive(*image.list) || !positive(*block.list) || image.list->size() != block.list->size())
    call.fail("image_shape and block_shape should be positive and equally long");
  const Window window = window_of(call, with_spatial(x.dims[0], 1, *image.list), *block.list);
  if (x.dims[2] != Dims::kUnknown && x.dims[2] != window.positions())
    call.fail("x has " + std::to_string(x.dims[2]) + " blocks; the image has room for " +
              std::to_string(window.positions()));
  if (x.dims[1] != Dims::kUnknown && x.dims[1] % window.taps() != 0)
    call.fail("x has " + std::to_string(x.dims[1]) + " rows; a multiple of the " + std::to_string(window.taps()) +
              " elements of a block would be right");
  return window;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  tensor_operand(call, kImage);
  tensor_operand(call, kBlock);
  const auto window = window_over_image(call, x);
  if (!window) return {without_dims(x)};
  const int64_t channels = x.dims[1] == Dims::kUnknown ? Dims::kUnknown : x.dims[1] / window->taps();
  return {with_dims(x, with_spatial(x.dims[0], channels, window->input))};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x      = value_of(call, 0);
  const Window window = *window_over_image(call, x.type());
  const Dims dims     = infer(call)[0].dims;
  const auto elements = covered(window);
  const auto values   = values_of<double>(x);
  const auto taps = static_cast<size_t>(window.taps()), positions = static_cast<size_t>(window.positions());
  std::vector<double> y(static_cast<size_t>(element_count(dims)));
  const size_t planes = static_cast<size_t>(dims[0] * dims[1]), plane = y.size() / std::max<size_t>(planes, 1);
  for (size_t p = 0; p < planes; ++p) {
    for (size_t tap = 0; tap < taps; ++tap) {
      for (size_t position = 0; position < positions; ++position) {
        const int64_t element = elements[position * taps + tap];
        if (element >= 0)
          y[p * plane + static_cast<size_t>(element)] += values[(p * taps + tap) * positions + position];
      }
    }
  }
  return {array_of(x.dtype(), dims, y)};
}

// Takes the blocks out again: a convolution, channel by channel, with one kernel for each element of a block.
void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x       = tensor_operand(call, 0);
  const auto window  = window_over_image(call, x);
  if (!window || !has_dims(x)) call.fail("the shapes must be known to differentiate");
  const int64_t taps = window->taps(), channels = x.dims[1] / taps;
  std::vector<double> kernels(static_cast<size_t>(channels * taps * taps));
  for (size_t row = 0; row < static_cast<size_t>(x.dims[1]); ++row) {
    kernels[row * static_cast<size_t>(taps) + row % static_cast<size_t>(taps)] = 1;
  }
  const Array weights = array_of(x.dtype, with_spatial(x.dims[1], 1, window->kernel), kernels);
  Sizes pads          = window->begin;
  pads.insert(pads.end(), window->end.begin(), window->end.end());
  const Attributes attributes{
      {"group", channels}, {"strides", window->stride}, {"dilations", window->dilation}, {"pads", pads}};
  const int constant = builder.emit("Constant", {{"value", weights}}, {})[0];
  const int blocks   = builder.emit("Conv", attributes, {builder.output_gradient(0), constant})[0];
  const std::vector<int64_t> shape(x.dims.begin(), x.dims.end());
  builder.set_input_gradient(0, builder.emit("Reshape", {{"shape", shape}}, {blocks})[0]);
}

std::vector<Sample> samples() {
  const auto sizes = [](size_t operand, const std::vector<int64_t>& list) {
    return std::pair<size_t, Array>{operand, Array::of_ints({static_cast<int64_t>(list.size())}, list)};
  };
  return {{{}, {f32({2, 4, 9}), i64({2}), i64({2})}, {sizes(1, {4, 4}), sizes(2, {2, 2})}},
          {{{"strides", std::vector<int64_t>{2}}, {"pads", std::vector<int64_t>{1, 0}}},
           {f32({2, 6, 3}), i64({1}), i64({1})},
           {sizes(1, {6}), sizes(2, {3})}}};
}

}  // namespace

OpDef row() {
  return {
      .name = "Col2Im",
      .doc  = "x[n,c*block,blocks], image shape, block shape -> y[n,c,image..]: blocks put back in place and added",
      .whole_because = "its windows reach across that dimension",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call) || !has_rank(infer(call)[0])) return {};
        return {.text = factor_text(call, {"n.."}, {"n" + dots(infer(call)[0].dims.size() - 1)})};
      },
      .work    = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(call.inputs[0])); },
      .eval    = eval,
      .grad    = grad,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::col2_im
