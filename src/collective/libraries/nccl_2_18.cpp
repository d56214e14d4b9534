// NCCL 2.17 (2023) to 2.22, the first with NVLS: src/graph/tuning.cc as of 2.26, whose constants are the same.
#include "collective/libraries/nccl.h"

namespace foreflow::collective::definitions::nccl_2_18 {
namespace {

constexpr Protocols kRing = {{{us(6.6), {us(0.6), us(1.0), us(2.7)}},
                              {us(14.0), {us(1.9), us(2.5), us(4.0)}},
                              {us(8.4), {us(3.4), us(5.7), us(14.0)}}}};
constexpr Protocols kTree = {{{us(6.8), {us(0.6), us(1.0), us(5.0)}},
                              {us(14.0), {us(1.25), us(1.9), us(8.5)}},
                              {us(8.4), {us(4.0), us(4.0), us(14.0)}}}};

// 25 us altogether, for two steps; 85 % of the bandwidth from Hopper on and 74 % from Blackwell on, and 15 of 16
// channels of it.
void add_nvls(std::vector<Way>& ways) {
  const double hopper = 20.6 / 25 * 0.85 * 15 / 16, blackwell = 40.1 / 50 * 0.74 * 15 / 16;
  const ByMedium<Seconds> step = {us(12.5), us(12.5), us(12.5)};
  ways.push_back({.algorithm = "nvls", .protocol = "Simple", .step = step, .efficiency = {hopper, 0, 0}});
  ways.back().nvlink_from = ways.back().nvlink_to = 4;
  ways.push_back({.algorithm = "nvls", .protocol = "Simple", .step = step, .efficiency = {blackwell, 0, 0}});
  ways.back().nvlink_from = 5;
}

}  // namespace

LibraryDef row() {
  LibraryDef library{"nccl@2.18", "NCCL 2.17 to 2.22: ring, tree, CollNet, NVLS", kNcclSource, {}, kNcclMissing, true};
  add_nccl_rings(library.ways, kRing);
  add_nccl_trees(library.ways, kTree);
  add_nvls(library.ways);
  add_nccl_collnet(library.ways);
  add_messages(library.ways, kRing);
  return library;
}

}  // namespace foreflow::collective::definitions::nccl_2_18
