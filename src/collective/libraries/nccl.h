// NCCL's tuning model (src/graph/tuning.cc, topo.h) as ways of a library. The rows of RCCL and MSCCL are made from it.
#pragma once

#include "foreflow/collective/library.h"

namespace foreflow::collective {

constexpr Seconds us(double value) { return Seconds(value * 1e-6); }
constexpr BytesPerSecond GBps(double value) { return BytesPerSecond(value * 1e9); }

// Devices of some generations of NVLink, as the model tells them apart by compute capability.
struct Era {
  int from, to;
  double nvlink;  // what it counts of an NVLink's bandwidth
  Most ll;        // llMaxBws: the most of protocol LL, among the ranks of 1, 2 and 4 nodes
};
const std::vector<Era>& eras();

// The shares of the bandwidths of PCIe and of a network that NCCL's model counts: 12 GB/s of the 15.5 of PCIe 3 x16,
// and of the 12.5 of 100 Gb/s.
inline constexpr double kBus = 12 / 15.5, kNetwork = 12 / 12.5;
// LL128 sends 120 bytes of data in 128; the model counts 92 % of a ring.
inline constexpr double kLl128 = 0.92;

// Latencies of one protocol: before the first message, and of a step over NVLink, PCIe and a network.
struct Latencies {
  Seconds start;
  ByMedium<Seconds> step;
};

// By protocol: LL, LL128, Simple.
using Protocols = std::array<Latencies, 3>;

// For devices of every era: `algorithm` under all three protocols, where LL leaves `ll` of the bandwidth, LL128 `near`
// over NVLink and `far` over a network (nothing over PCIe, where it is off), and Simple `simple`.
struct Shares {
  double ll, near, far, simple;
};
void add_ways(std::vector<Way>& ways, std::string_view algorithm, const Protocols& latencies, const Shares& shares,
              const std::vector<Kind>& kinds = {});

// A ring, and the same in chunks from rank to rank, which NCCL's broadcast and reduce are.
void add_nccl_rings(std::vector<Way>& ways, const Protocols& latencies);
// Double binary trees.
void add_nccl_trees(std::vector<Way>& ways, const Protocols& latencies);
// The switches between nodes.
void add_nccl_collnet(std::vector<Way>& ways);

// Kinds that are messages between pairs of ranks (ncclSend, ncclRecv in a group).
void add_messages(std::vector<Way>& ways, const Protocols& ring);

inline constexpr std::string_view kNcclSource = "NVIDIA/nccl src/graph/tuning.cc, topo.h";
inline constexpr std::string_view kNcclMissing =
    "the number of channels, which grows with the message; the correction of trees by size; threads of a CPU that post "
    "messages";

}  // namespace foreflow::collective
