// RCCL, NCCL for AMD's devices: the constants of its tuning model for servers of MI250X (tuning_model_0), with its
// share of the bandwidth under each protocol. Its corrections by size are not taken over.
#include "collective/libraries/nccl.h"

namespace foreflow::collective::definitions::rccl {
namespace {

struct Protocol {
  std::string_view name;
  Seconds start;
  ByMedium<Seconds> ring, tree;
  double inside, ring_between, tree_between;  // share of the bandwidth
};

// Between nodes the shares are those that it was tuned to on two of them (bwRatio).
constexpr Protocol kRows[] = {
    {"LL", us(12), {us(0.8), us(2.2), us(9.5)}, {us(0.8), us(2.2), us(11.8)}, 0.5, 0.04, 0.04},
    {"Simple", us(17), {us(3.6), us(5.7), us(15.1)}, {us(2.5), us(5.7), us(20.8)}, 1, 1, 0.91},
};

Way way(std::string_view algorithm, const Protocol& row, const ByMedium<Seconds>& step, double between) {
  return {.algorithm  = algorithm,
          .protocol   = row.name,
          .start      = row.start,
          .step       = step,
          .efficiency = {row.inside, row.inside, between}};
}

}  // namespace

LibraryDef row() {
  LibraryDef library{"rccl@2.18",
                     "RCCL 2.18 to 2.21 (ROCm 6): ring, tree",
                     "ROCm/rccl src/graph/tuning.cc",
                     {},
                     "LL128; MSCCL schedules that come with it; corrections by size; rings over xGMI of unequal speed"};
  for (const Protocol& row : kRows) {
    library.ways.push_back(way("ring", row, row.ring, row.ring_between));
    library.ways.push_back(way("chain", row, row.ring, row.ring_between));
    library.ways.push_back(way("tree", row, row.tree, row.tree_between));
    library.ways.push_back(way("direct", row, row.ring, row.ring_between));
    library.ways.back().kinds = message_kinds();
  }
  return library;
}

}  // namespace foreflow::collective::definitions::rccl
