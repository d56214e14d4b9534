// oneCCL: the algorithms that its guide lists (CCL_ALLREDUCE and the like). `topo`, its default for GPU buffers, is
// hierarchical; rabenseifner is halving and doubling. No latencies are published: steps take what the platform says.
#include "foreflow/collective/library.h"

namespace foreflow::collective::definitions::oneccl {

LibraryDef row() {
  return {"oneccl@2021",
          "oneCCL 2021: topo, rabenseifner, ring, double_tree; its own latencies are not published",
          "Intel oneAPI Collective Communications Library, Environment Variables",
          {{.algorithm = "hierarchical", .kinds = {Kind::all_reduce}},
           {.algorithm = "halving_doubling"},
           {.algorithm = "ring"},
           {.algorithm = "tree"},
           {.algorithm = "binomial", .kinds = {Kind::broadcast, Kind::reduce}},
           {.algorithm = "van_de_geijn"},
           {.algorithm = "direct", .kinds = message_kinds()}},
          "nreduce, 2d; copy engines against kernels; sizes at which its tables change over"};
}

}  // namespace foreflow::collective::definitions::oneccl
