// MSCCL: NCCL 2.12 with schedules of its own. On one node of H100 it all-reduces and gathers short messages among all
// pairs at once under LL (Cowan et al., MSCCLang, ASPLOS 2023); beyond that it takes NCCL's ways. The time until the
// first message is that of NCCL's LL; Azure's measurements are 2 to 4 us below NCCL's.
#include "collective/libraries/nccl.h"

namespace foreflow::collective::definitions::msccl {
namespace {

constexpr Protocols kRing = {{{us(3.6), {us(0.47), us(1.0), us(2.7)}},
                              {us(10.0), {us(1.9), us(2.5), us(4.0)}},
                              {us(8.4), {us(3.4), us(5.7), us(9.6)}}}};

// Every rank sends to all others at once, over half of the bandwidth: a flag for each four bytes.
void add_pairs(std::vector<Way>& ways, std::string_view algorithm, const std::vector<Kind>& kinds) {
  for (const Era& era : eras()) {
    ways.push_back({.algorithm   = algorithm,
                    .protocol    = "LL",
                    .kinds       = kinds,
                    .start       = us(3.6),
                    .step        = {us(1.9), us(2.5), us(4.0)},
                    .efficiency  = {era.nvlink / 2, kBus / 2, 0},
                    .nvlink_from = era.from,
                    .nvlink_to   = era.to});
  }
}

}  // namespace

LibraryDef row() {
  LibraryDef library{"msccl@2.12",
                     "MSCCL on NCCL 2.12: all pairs at once for short messages, otherwise rings",
                     "Cowan et al. 2023; microsoft/msccl; Azure/msccl",
                     {},
                     "schedules that users write; hierarchical ones between nodes"};
  add_pairs(library.ways, "two_shot", {});
  add_pairs(library.ways, "direct", {Kind::all_gather, Kind::reduce_scatter});
  add_ways(library.ways, "ring", kRing, {0.5, kLl128, kLl128, 1});
  add_ways(library.ways, "chain", kRing, {0.5, kLl128, kLl128, 1});
  add_messages(library.ways, kRing);
  return library;
}

}  // namespace foreflow::collective::definitions::msccl
