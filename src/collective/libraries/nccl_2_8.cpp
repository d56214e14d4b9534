// NCCL 2.8 (2020) to 2.12: src/graph/tuning.cc as of these releases.
#include "collective/libraries/nccl.h"

namespace foreflow::collective::definitions::nccl_2_8 {
namespace {

constexpr Protocols kRing = {{{us(3.6), {us(0.47), us(1.0), us(2.7)}},
                              {us(10.0), {us(1.9), us(2.5), us(4.0)}},
                              {us(8.4), {us(3.4), us(5.7), us(9.6)}}}};
constexpr Protocols kTree = {{{us(4.4), {us(0.52), us(1.0), us(5.0)}},
                              {us(4.4), {us(1.25), us(1.9), us(8.5)}},
                              {us(0), {us(28), us(28), us(28)}}}};

}  // namespace

LibraryDef row() {
  LibraryDef library{"nccl@2.8", "NCCL 2.8 to 2.12: ring, tree, CollNet", kNcclSource, {}, kNcclMissing, true};
  add_nccl_rings(library.ways, kRing);
  add_nccl_trees(library.ways, kTree);
  add_nccl_collnet(library.ways);
  add_messages(library.ways, kRing);
  return library;
}

}  // namespace foreflow::collective::definitions::nccl_2_8
