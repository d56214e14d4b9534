// Gloo: what PyTorch's backend for CPUs calls: all-reduce and reduce-scatter by rings (gloo/allreduce.cc; bcube is for
// whom asks for it), broadcast, gather and scatter by binomial trees, all-gather by a ring. No latencies are published:
// steps take what the platform says.
#include "foreflow/collective/library.h"

namespace foreflow::collective::definitions::gloo {

LibraryDef row() {
  const std::vector<Kind> trees = {Kind::broadcast, Kind::reduce, Kind::gather, Kind::scatter};
  return {"gloo",
          "Gloo: ring and binomial trees; its own latencies are not published",
          "pytorch/gloo docs/algorithms.md",
          {{.algorithm = "ring"},
           {.algorithm = "binomial", .kinds = trees},
           {.algorithm = "pairwise"},
           {.algorithm = "direct", .kinds = {Kind::send, Kind::shift}}},
          "copies between device and host; threads of its transport; halving_doubling and bcube, which are called by "
          "name"};
}

}  // namespace foreflow::collective::definitions::gloo
