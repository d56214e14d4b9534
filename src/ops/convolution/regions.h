// Regions of interest of x[n,c,h,w], brought to one size: what RoiAlign and its gradient share.
#pragma once

#include "ops/common/sampling.h"

namespace foreflow::ops {

// For each bin of each region: the samples in it, each with its taps in the plane of its picture.
struct Regions {
  std::vector<size_t> pictures;         // which x[n] each region lies in
  std::vector<std::vector<Taps>> bins;  // [regions * output_height * output_width]
};

// Operands x, rois[r,4] (left, top, right, bottom), batch indices[r].
Regions regions_of(const OpCall& call, const Dims& x);

// [r, c, output_height, output_width].
Type infer_regions(const OpCall& call);

}  // namespace foreflow::ops
