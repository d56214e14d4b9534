// Where GridSample takes its samples: x[n,c,h,w] at the places that grid[n,h',w',2] names.
#pragma once

#include "ops/common/sampling.h"

namespace foreflow::ops {

// A tap in the plane of the picture, and how its weight changes with the two coordinates of the place.
struct GridTap {
  size_t element;
  double weight, by_column, by_row;
};

// The taps of each place of the grid: [n * h' * w'].
std::vector<std::vector<GridTap>> grid_taps(const OpCall& call, const Dims& x, const Array& grid);

// The shape of the result.
Type infer_grid(const OpCall& call);

}  // namespace foreflow::ops
