#include "ops/common/gradient_operand.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/convolution/grid.h"

namespace foreflow::ops::definitions::grid_sample_grad {

namespace {

constexpr size_t kSlope = 2;

std::vector<Array> eval(const OpCall& call) {
  const Array& x    = value_of(call, 0);
  const Dims dims   = infer_grid(call).dims;
  const auto values = values_of<double>(x), slopes = values_of<double>(value_of(call, kSlope));
  const auto taps     = grid_taps(call, x.dims(), value_of(call, 1));
  const auto channels = static_cast<size_t>(x.dims()[1]), plane = grid_places(x.dims()), places = grid_places(dims),
             axes   = dims.size() - 2;
  const Array& grid = value_of(call, 1);
  std::vector<double> dx(static_cast<size_t>(x.size())), dgrid(static_cast<size_t>(grid.size()));
  for (size_t i = 0; i < slopes.size(); ++i) {
    const size_t place = i / places / channels * places + i % places;
    for (const GridTap& tap : taps[place]) {
      const size_t element = i / places * plane + tap.element;
      dx[element] += tap.weight * slopes[i];
      for (size_t a = 0; a < axes; ++a) dgrid[axes * place + a] += tap.slopes[a] * values[element] * slopes[i];
    }
  }
  return {array_of(x.dtype(), x.dims(), dx), array_of(grid.dtype(), grid.dims(), dgrid)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "GridSampleGrad",
      .doc           = "x, grid, dy -> dx, dgrid: the gradient of GridSample",
      .domain        = "foreflow",
      .whole_because = "its points may lie anywhere in the image",
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        check_slope(call, kSlope, infer_grid(call));
        return {tensor_operand(call, 0), tensor_operand(call, 1)};
      },
      .factors = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const auto [x, places, y] = grid_letters(call);
        return {.text = factor_text(call, {x, places, y}, {x, places})};
      },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, 4 * grid_flops(call) * count_of(call.inputs[kSlope]));
          },
      .eval = eval,
      .samples =
          [] {
            const std::pair<size_t, Array> grid{
                1, Array::of_floats({2, 1, 2, 2}, {-0.3F, 0.4F, 0.9F, -1.2F, 0.1F, 0.05F, -0.7F, 1.4F})};
            const std::vector<Type> inputs{f32({2, 2, 3, 4}), f32({2, 1, 2, 2}), f32({2, 2, 1, 2})};
            return std::vector<Sample>{{{}, inputs, {grid}, 2}, {{{"padding_mode", "border"}}, inputs, {grid}, 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::grid_sample_grad
