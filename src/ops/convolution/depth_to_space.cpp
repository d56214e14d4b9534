#include "ops/common/work.h"
#include "ops/convolution/blocks.h"

namespace foreflow::ops::definitions::depth_to_space {

OpDef row() {
  OpDef row   = block_op<depth_to_space_of>("DepthToSpace",
                                          "x[n,c*b*b,h,w] -> y[n,c,h*b,w*b], b = `blocksize`; the b*b channels of a "
                                            "block stand before c (mode DCR) or after it (CRD)");
  row.work    = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); };
  row.samples = [] {
    return std::vector<Sample>{{{{"blocksize", int64_t{2}}}, {f32({2, 8, 1, 3})}},
                               {{{"blocksize", int64_t{2}}, {"mode", "CRD"}}, {f32({2, 4, 2, 2})}}};
  };
  return row;
}

}  // namespace foreflow::ops::definitions::depth_to_space
