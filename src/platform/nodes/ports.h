// Ports that several nodes have. Latencies are such that one message costs what NCCL's tuning model charges for one
// step of a ring with the Simple protocol (src/graph/tuning.cc, hwLat): 3.4 us over NVLink, 5.7 us over PCI, 14.0 us
// over a network. They contain the software that runs on both ends, and are far above the latency of the wires
// (InfiniBand: 0.5 to 0.6 us).
#pragma once

#include "platform/blueprint.h"
#include "platform/link_units.h"

namespace foreflow::platform {

inline constexpr Seconds kNvlinkLatency = 1.7_us;   // up + down = 3.4 us
inline constexpr Seconds kDirectLatency = 3.4_us;   // an NVLink from GPU to GPU
inline constexpr Seconds kPcieLatency   = 2.85_us;  // up + down = 5.7 us
inline constexpr Seconds kNicLatency    = 4.15_us;  // two NICs and the PCIe at both ends = 14.0 us

inline constexpr const char* kLatencySource =
    "latencies: a message costs NCCL's ring step, Simple protocol (src/graph/tuning.cc): NVLink 3.4, PCI 5.7, network "
    "14 us; further switches of a node are free";

inline constexpr const char* kPcie3Source =
    "pcie: PCIe 3 x16, half of the 31 GB/s of PCIe 4 x16 (stas00/ml-engineering network/README.md)";
inline constexpr const char* kPcie4Source = "pcie: PCIe 4 x16, 31 GB/s (stas00/ml-engineering network/README.md)";
inline constexpr const char* kPcie5Source = "pcie: PCIe 5 x16, 63 GB/s (stas00/ml-engineering network/README.md)";
inline constexpr const char* kPcie6Source = "pcie: PCIe 6 x16, 121 GB/s (stas00/ml-engineering network/README.md)";
inline constexpr const char* kUpiSource =
    "host: two UPI links of 10.4 GT/s between the sockets, 2 x 20.8 GB/s (xryan.net/p/295); two are an assumption";

inline Port nvlink_port(BytesPerSecond bandwidth) { return {"nvlink", bandwidth, kNvlinkLatency}; }
inline Port pcie3_port() { return {"pcie", 15.5_GBps, kPcieLatency}; }
inline Port pcie4_port() { return {"pcie", 31_GBps, kPcieLatency}; }
inline Port pcie5_port() { return {"pcie", 63_GBps, kPcieLatency}; }
inline Port pcie6_port() { return {"pcie", 121_GBps, kPcieLatency}; }
inline Port nic_port(BytesPerSecond bandwidth) { return {"nic", bandwidth, kNicLatency}; }
inline Port upi_port() { return {"host", 41.6_GBps, 0_us}; }

// The inside of a node, above the ports of its GPUs.
inline Port uplink(const Port& port) { return {port.kind, port.bandwidth, 0_us}; }

}  // namespace foreflow::platform
