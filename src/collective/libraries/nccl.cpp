// NCCL. Constants of src/graph/tuning.cc (baseLat, hwLat, llMaxBws) and src/graph/topo.h (bandwidth of links) of the
// releases that the names say. The model's own choice is the least of latency + bytes / bandwidth over algorithms and
// protocols, which is what a library does here, with the links of the platform.
#include "collective/libraries/nccl.h"

namespace foreflow::collective {
namespace {

constexpr std::string_view kProtocols[] = {"LL", "LL128", "Simple"};

}  // namespace

const std::vector<Era>& eras() {
  static const std::vector<Era> all = {
      {0, 1, 20.0 / 25, {GBps(87.7), GBps(22.5), GBps(19.0)}},     // without NVLink: counted as Ampere
      {2, 2, 20.0 / 25, {GBps(39.0), GBps(39.0), GBps(20.4)}},     // Volta
      {3, 3, 20.0 / 25, {GBps(87.7), GBps(22.5), GBps(19.0)}},     // Ampere
      {4, 4, 20.6 / 25, {GBps(141.0), GBps(45.0), GBps(35.0)}},    // Hopper
      {5, 99, 40.1 / 50, {GBps(141.0), GBps(45.0), GBps(35.0)}}};  // Blackwell
  return all;
}

void add_ways(std::vector<Way>& ways, std::string_view algorithm, const Protocols& latencies, const Shares& shares,
              const std::vector<Kind>& kinds) {
  for (const Era& era : eras()) {
    const ByMedium<double> left[] = {
        {shares.ll * era.nvlink, shares.ll * kBus, shares.ll * kNetwork},
        {shares.near * era.nvlink, 0, shares.far * kNetwork},
        {shares.simple * era.nvlink, shares.simple * kBus, shares.simple * kNetwork},
    };
    for (size_t i = 0; i < latencies.size(); ++i) {
      ways.push_back({.algorithm   = algorithm,
                      .protocol    = kProtocols[i],
                      .kinds       = kinds,
                      .start       = latencies[i].start,
                      .step        = latencies[i].step,
                      .efficiency  = left[i],
                      .most        = i == 0 ? era.ll : Most{},
                      .nvlink_from = era.from,
                      .nvlink_to   = era.to});
    }
  }
}

void add_messages(std::vector<Way>& ways, const Protocols& ring) {
  const std::vector<Kind> kinds = {Kind::send, Kind::gather, Kind::scatter, Kind::all_to_all, Kind::shift};
  const Latencies &ll = ring.front(), &simple = ring.back();
  for (const Era& era : eras()) {
    Way way{.algorithm = "direct", .protocol = "LL", .kinds = kinds, .start = ll.start, .step = ll.step};
    way.nvlink_from = era.from, way.nvlink_to = era.to;
    way.efficiency = {era.nvlink / 2, kBus / 2, kNetwork / 2};
    way.most       = era.ll;
    ways.push_back(way);
    way.protocol = "Simple", way.start = simple.start, way.step = simple.step;
    way.efficiency = {era.nvlink, kBus, kNetwork};
    way.most       = {};
    ways.push_back(way);
  }
}

namespace definitions::nccl {
namespace {

// 2.8 (2020) to 2.12.
constexpr Protocols kRing28 = {{{us(3.6), {us(0.47), us(1.0), us(2.7)}},
                                {us(10.0), {us(1.9), us(2.5), us(4.0)}},
                                {us(8.4), {us(3.4), us(5.7), us(9.6)}}}};
constexpr Protocols kTree28 = {{{us(4.4), {us(0.52), us(1.0), us(5.0)}},
                                {us(4.4), {us(1.25), us(1.9), us(8.5)}},
                                {us(0), {us(28), us(28), us(28)}}}};
// 2.17 to 2.26.
constexpr Protocols kRing = {{{us(6.6), {us(0.6), us(1.0), us(2.7)}},
                              {us(14.0), {us(1.9), us(2.5), us(4.0)}},
                              {us(8.4), {us(3.4), us(5.7), us(14.0)}}}};
constexpr Protocols kTree = {{{us(6.8), {us(0.6), us(1.0), us(5.0)}},
                              {us(14.0), {us(1.25), us(1.9), us(8.5)}},
                              {us(8.4), {us(4.0), us(4.0), us(14.0)}}}};

// A ring, and the same in chunks from rank to rank, which NCCL's broadcast and reduce are.
void add_rings(std::vector<Way>& ways, const Protocols& latencies) {
  const Shares shares{0.5, kLl128, kLl128, 1};
  add_ways(ways, "ring", latencies, shares);
  add_ways(ways, "chain", latencies, shares);
}

// Under LL 1 / 3.8 of the bandwidth is left of a tree; under LL128 7/9 within a node, 120/128 between nodes.
void add_trees(std::vector<Way>& ways, const Protocols& latencies) {
  add_ways(ways, "tree", latencies, {kLl128 / 3.8, kLl128 * 7 / 9, kLl128 * 120 / 128, kLl128});
}

// CollNetDirect: 3.7 us in a node and 0.4 us for each further rank, twice; 31 us in the network. Of a node of eight,
// whose ranks take seven steps each way, that is 0.93 us a step.
void add_collnet(std::vector<Way>& ways) {
  ways.push_back({.algorithm  = "sharp",
                  .protocol   = "Simple",
                  .start      = us(8.4),
                  .step       = {us(0.93), us(0.93), us(31)},
                  .efficiency = {0.8, kBus, kNetwork}});
}

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

// PAT: Simple only, 75 % of the bandwidth, one rank a node.
void add_pat(std::vector<Way>& ways) {
  ways.push_back({.algorithm  = "pat",
                  .protocol   = "Simple",
                  .start      = us(8.4),
                  .step       = {us(4.0), us(5.7), us(14.0)},
                  .efficiency = {0.75 * 0.8, 0.75 * kBus, 0.75 * kNetwork}});
}

constexpr std::string_view kSource = "NVIDIA/nccl src/graph/tuning.cc, topo.h";
constexpr std::string_view kMissing =
    "the number of channels, which grows with the message; the correction of trees by size; threads of a CPU that post "
    "messages";

}  // namespace

std::vector<LibraryDef> versions() {
  LibraryDef first{"nccl@2.8", "NCCL 2.8 to 2.12: ring, tree, CollNet", kSource, {}, kMissing, true};
  add_rings(first.ways, kRing28);
  add_trees(first.ways, kTree28);
  add_collnet(first.ways);
  add_messages(first.ways, kRing28);
  LibraryDef second{"nccl@2.18", "NCCL 2.17 to 2.22: ring, tree, CollNet, NVLS", kSource, {}, kMissing, true};
  add_rings(second.ways, kRing);
  add_trees(second.ways, kTree);
  add_nvls(second.ways);
  add_collnet(second.ways);
  add_messages(second.ways, kRing);
  LibraryDef third{"nccl@2.23", "NCCL 2.23 and later: ring, tree, CollNet, NVLS, PAT", kSource, second.ways, kMissing,
                   true};
  add_pat(third.ways);
  return {std::move(first), std::move(second), std::move(third)};
}

}  // namespace definitions::nccl
}  // namespace foreflow::collective
