// NCCL from 2.23 (2024) on: all of 2.18 and PAT.
#include "collective/libraries/nccl.h"

namespace foreflow::collective::definitions {
namespace nccl_2_18 {
LibraryDef row();
}  // namespace nccl_2_18
}  // namespace foreflow::collective::definitions

namespace foreflow::collective::definitions::nccl_2_23 {

LibraryDef row() {
  LibraryDef library = nccl_2_18::row();
  library.name       = "nccl@2.23";
  library.doc        = "NCCL 2.23 and later: ring, tree, CollNet, NVLS, PAT";
  // Simple only, 75 % of the bandwidth, one rank a node.
  library.ways.push_back({.algorithm  = "pat",
                          .protocol   = "Simple",
                          .start      = us(8.4),
                          .step       = {us(4.0), us(5.7), us(14.0)},
                          .efficiency = {0.75 * 0.8, 0.75 * kBus, 0.75 * kNetwork}});
  return library;
}

}  // namespace foreflow::collective::definitions::nccl_2_23
