#include "ops/common/work.h"
#include "ops/convolution/blocks.h"

namespace foreflow::ops::definitions::space_to_depth {

OpDef row() {
  OpDef row   = block_op<space_to_depth_of>("SpaceToDepth",
                                          "x[n,c,h*b,w*b] -> y[n,b*b*c,h,w], b = `blocksize`; the place within the "
                                            "block stands before c (mode DCR) or after it (CRD)");
  row.work    = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); };
  row.samples = [] {
    return std::vector<Sample>{{{{"blocksize", int64_t{2}}}, {f32({2, 2, 2, 4})}},
                               {{{"blocksize", int64_t{3}}}, {f32({1, 2, 3, 3})}},
                               {{{"blocksize", int64_t{2}}, {"mode", "CRD"}}, {f32({2, 2, 2, 4})}}};
  };
  return row;
}

}  // namespace foreflow::ops::definitions::space_to_depth
