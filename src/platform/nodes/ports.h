// Ports that several nodes have. Latencies are such that one message costs what NCCL's tuning model charges for one
// step of a ring with the Simple protocol (src/graph/tuning.cc, hwLat): 3.4 us over NVLink, 5.7 us over PCI, 14.0 us
// over a network. They contain the software that runs on both ends, and are far above the latency of the wires
// (InfiniBand: 0.5 to 0.6 us).
#pragma once

#include "platform/blueprint.h"

namespace foreflow::platform {

inline constexpr const char* kNvlinkLatency = "1.7us";   // up + down = 3.4 us
inline constexpr const char* kDirectLatency = "3.4us";   // an NVLink from GPU to GPU
inline constexpr const char* kPcieLatency   = "2.85us";  // up + down = 5.7 us
inline constexpr const char* kNicLatency    = "4.15us";  // two NICs and the PCIe at both ends = 14.0 us

inline constexpr const char* kLatencySource =
    "latencies: a message costs NCCL's ring step, Simple protocol (src/graph/tuning.cc): NVLink 3.4, PCI 5.7, network "
    "14 us; further switches of a node are free";

inline constexpr const char* kPcie3Source =
    "pcie: PCIe 3 x16, half of the 31 GB/s of PCIe 4 x16 (stas00/ml-engineering network/README.md)";
inline constexpr const char* kPcie4Source = "pcie: PCIe 4 x16, 31 GB/s (stas00/ml-engineering network/README.md)";
inline constexpr const char* kPcie5Source = "pcie: PCIe 5 x16, 63 GB/s (stas00/ml-engineering network/README.md)";
inline constexpr const char* kUpiSource =
    "host: two UPI links of 10.4 GT/s between the sockets, 2 x 20.8 GB/s (xryan.net/p/295); two are an assumption";

inline Port nvlink_port(const char* bandwidth) { return {"nvlink", bandwidth, kNvlinkLatency}; }
inline Port pcie3_port() { return {"pcie", "15.5GBps", kPcieLatency}; }
inline Port pcie4_port() { return {"pcie", "31GBps", kPcieLatency}; }
inline Port pcie5_port() { return {"pcie", "63GBps", kPcieLatency}; }
inline Port nic_port(const char* bandwidth) { return {"nic", bandwidth, kNicLatency}; }
inline Port upi_port() { return {"host", "41.6GBps", "0us"}; }

// What is inside a node, above the ports of its GPUs.
inline Port uplink(Port port) { return {port.kind, port.bandwidth, "0us"}; }

}  // namespace foreflow::platform
