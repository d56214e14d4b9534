// NCCL. Constants of src/graph/tuning.cc (baseLat, hwLat, llMaxBws) and topo.h beside it (bandwidth of links). The
// model's own choice is the least of latency + bytes / bandwidth over algorithms and protocols, which is what a library
// does here, with the links of the platform.
#include "collective/libraries/nccl.h"

namespace foreflow::collective {
namespace {

constexpr std::string_view kProtocols[] = {"LL", "LL128", "Simple"};

}  // namespace

const std::vector<Era>& eras() {
  static const std::vector<Era> rows = {
      {0, 1, 20.0 / 25, {GBps(87.7), GBps(22.5), GBps(19.0)}},     // without NVLink: counted as Ampere
      {2, 2, 20.0 / 25, {GBps(39.0), GBps(39.0), GBps(20.4)}},     // Volta
      {3, 3, 20.0 / 25, {GBps(87.7), GBps(22.5), GBps(19.0)}},     // Ampere
      {4, 4, 20.6 / 25, {GBps(141.0), GBps(45.0), GBps(35.0)}},    // Hopper
      {5, 99, 40.1 / 50, {GBps(141.0), GBps(45.0), GBps(35.0)}}};  // Blackwell
  return rows;
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
  const std::vector<Kind> kinds = message_kinds();
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

// A ring, and the same in chunks from rank to rank, which NCCL's broadcast and reduce are.
void add_nccl_rings(std::vector<Way>& ways, const Protocols& latencies) {
  const Shares shares{0.5, kLl128, kLl128, 1};
  add_ways(ways, "ring", latencies, shares);
  add_ways(ways, "chain", latencies, shares);
}

// Under LL 1 / 3.8 of the bandwidth is left of a tree; under LL128 7/9 within a node, 120/128 between nodes.
void add_nccl_trees(std::vector<Way>& ways, const Protocols& latencies) {
  add_ways(ways, "tree", latencies, {kLl128 / 3.8, kLl128 * 7 / 9, kLl128 * 120 / 128, kLl128});
}

// CollNetDirect: 3.7 us in a node and 0.4 us for each further rank, twice; 31 us in the network. Of a node of eight,
// whose ranks take seven steps each way, that is 0.93 us a step.
void add_nccl_collnet(std::vector<Way>& ways) {
  ways.push_back({.algorithm  = "sharp",
                  .protocol   = "Simple",
                  .start      = us(8.4),
                  .step       = {us(0.93), us(0.93), us(31)},
                  .efficiency = {0.8, kBus, kNetwork}});
}

}  // namespace foreflow::collective
