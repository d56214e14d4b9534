#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/convolution/grid.h"

namespace foreflow::ops::definitions::grid_sample {

namespace {

std::vector<Array> eval(const OpCall& call) {
  const Array& x      = value_of(call, 0);
  const Dims dims     = infer_grid(call).dims;
  const auto values   = values_of<double>(x);
  const auto taps     = grid_taps(call, x.dims(), value_of(call, 1));
  const auto channels = static_cast<size_t>(x.dims()[1]), plane = grid_places(x.dims()), places = grid_places(dims);
  std::vector<double> y(static_cast<size_t>(element_count(dims)));
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t n = i / places / channels;
    for (const GridTap& tap : taps[n * places + i % places])
      y[i] += tap.weight * values[i / places * plane + tap.element];
  }
  return {array_of(x.dtype(), dims, y)};
}

void grad(GradBuilder& builder) {
  const auto gradients = builder.emit("GridSampleGrad", builder.call().attributes,
                                      {builder.input(0), builder.input(1), builder.output_gradient(0)}, 2);
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (builder.wanted(i)) builder.set_input_gradient(i, gradients[i]);
  }
}

std::vector<Sample> samples() {
  const std::pair<size_t, Array> grid{
      1, Array::of_floats({2, 1, 2, 2}, {-0.3F, 0.4F, 0.9F, -1.2F, 0.1F, 0.05F, -0.7F, 1.4F})};
  const Array places =
      Array::of_floats({2, 1, 2, 1, 3}, {-0.3F, 0.4F, 0.35F, 0.9F, -1.2F, 0.1F, 0.1F, 0.05F, -0.2F, -0.7F, 1.4F, 0.6F});
  const std::vector<Type> inputs{f32({2, 2, 3, 4}), f32({2, 1, 2, 2})};
  return {{{}, inputs, {grid}},
          {{{"mode", "bicubic"}, {"padding_mode", "reflection"}}, inputs, {grid}},
          {{{"mode", "nearest"}, {"padding_mode", "border"}, {"align_corners", 1}}, inputs, {grid}},
          {{}, {f32({2, 2, 3, 4, 2}), f32({2, 1, 2, 1, 3})}, {{1, places}}}};
}

}  // namespace

OpDef row() {
  return {
      .name = "GridSample",
      .doc =
          "x[n,c,h,w], grid[n,i,j,2] of places in [-1, 1] -> y[n,c,i,j]: x there, between its elements; also of "
          "volumes x[n,c,d,h,w], grid[n,i,j,k,3]",
      .whole_because = "its points may lie anywhere in the image",
      .infer         = [](const OpCall& call) -> std::vector<Type> { return {infer_grid(call)}; },
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const auto [x, places, y] = grid_letters(call);
        return {.text = factor_text(call, {x, places}, {y})};
      },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, grid_flops(call) * count_of(outputs[0]));
          },
      .eval    = eval,
      .grad    = grad,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::grid_sample
