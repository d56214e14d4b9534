// Link latencies such that one message costs what NCCL's tuning model charges for one step of a ring with the Simple
// protocol (src/graph/tuning.cc, hwLat): 3.4 us over NVLink, 5.7 us over PCI, 14.0 us over a network. They contain the
// software that runs on both ends, and are far above the latency of the wires (InfiniBand: 0.5 to 0.6 us).
#pragma once

namespace foreflow::platform {

inline constexpr const char* kNvlinkLatency = "1.7us";   // up + down = 3.4 us
inline constexpr const char* kPcieLatency   = "2.85us";  // up + down = 5.7 us
inline constexpr const char* kNicLatency    = "4.15us";  // two NICs and the PCIe at both ends = 14.0 us

inline constexpr const char* kLatencySource =
    "latencies: a message costs NCCL's ring step, Simple protocol (src/graph/tuning.cc): NVLink 3.4, network 14 us";

}  // namespace foreflow::platform
