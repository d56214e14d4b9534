// The positions at which GridSample takes its samples: x[n,c,h,w] at those that grid[n,h',w',2] names, or x[n,c,d,h,w]
// at those of grid[n,d',h',w',3].
#pragma once

#include <array>

#include "ops/common/sampling.h"

namespace foreflow::ops {

// A tap in the picture, and how its weight changes with the coordinates of the place, of which the first counts
// columns.
struct GridTap {
  size_t element;
  double weight;
  std::array<double, 3> slopes;
};

// The taps of each place of the grid: [n * h' * w'] or [n * d' * h' * w'].
std::vector<std::vector<GridTap>> grid_taps(const OpCall& call, const Dims& x, const Array& grid);

// The shape of the result.
Type infer_grid(const OpCall& call);
// The product of the dimensions behind the channels.
size_t grid_places(const Dims& dims);
// The letters of x, of the grid and of the result.
std::array<std::string, 3> grid_letters(const OpCall& call);
// Flop for each element of the result: a product and an addition for each tap.
double grid_flops(const OpCall& call);

}  // namespace foreflow::ops
