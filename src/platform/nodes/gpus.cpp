#include "platform/nodes/gpus.h"

#include "platform/link_units.h"

namespace foreflow::platform {
namespace {

constexpr Seconds kLaunch           = 10_us;
constexpr const char* kLaunchSource = "launch: 10 us, the default of DistIR";
constexpr const char* kV100Peaks =
    "peaks: V100 (developer.nvidia.com/programming-tensor-cores-cuda-9-0; AWS P3 launch post)";
constexpr const char* kA100Peaks = "peaks: A100 SXM, dense (stas00/ml-engineering compute/accelerator/README.md)";

Gpu v100(const char* kind, Bytes memory, const char* memory_source) {
  return {.kind              = kind,
          .sources           = {kV100Peaks, memory_source, kLaunchSource},
          .memory            = memory,
          .memory_bandwidth  = 900_GBps,
          .launch            = kLaunch,
          .peaks             = {{"f32", 15.7_Tf}, {"f16", 125_Tf}, {"f64", 7.8_Tf}},
          .nvlink_generation = 2};
}

Gpu a100(const char* kind, Bytes memory, BytesPerSecond memory_bandwidth, const char* memory_source) {
  return {.kind              = kind,
          .sources           = {kA100Peaks, memory_source, kLaunchSource},
          .memory            = memory,
          .memory_bandwidth  = memory_bandwidth,
          .launch            = kLaunch,
          .peaks             = {{"f32", 19.5_Tf}, {"f16", 312_Tf}, {"bf16", 312_Tf}, {"tf32", 156_Tf}},
          .nvlink_generation = 3};
}

}  // namespace

Gpu v100_sxm2_16gb() {
  return v100("V100-SXM2-16GB", 16_GB, "memory: 16 GB; 900 GB/s (NCCL topology file in JF-D/Proteus)");
}

Gpu v100_sxm2_32gb() {
  return v100("V100-SXM2-32GB", 32_GB, "memory: 32 GB; 900 GB/s (JF-D/Proteus examples/clusters/dgx1_v100_1ib)");
}

Gpu v100_sxm3_32gb() {
  return v100("V100-SXM3-32GB", 32_GB,
              "memory: 32 GB; 14.4 TB/s over 16 GPUs = 900 GB/s each (gamersnexus.net/news-pc/3270)");
}

Gpu a100_sxm4_40gb() {
  return a100("A100-SXM4-40GB", 40_GB, 1555_GBps, "memory: 40 GB; 1555 GB/s (techpowerup.com a100-sxm4-40-gb)");
}

Gpu a100_sxm4_80gb() {
  return a100("A100-SXM4-80GB", 80_GB, 2.039_TBps,
              "memory: 80 GB (same file); 2.039 TB/s (ai-dynamo/aiconfigurator systems/a100_sxm.yaml)");
}

Gpu h100_sxm5_80gb() {
  return {.kind              = "H100-SXM5-80GB",
          .sources           = {"peaks, memory: H100 SXM, dense, 80 GB at 3.35 TB/s (stas00/ml-engineering "
                                          "compute/accelerator/README.md)",
                                kLaunchSource},
          .memory            = 80_GB,
          .memory_bandwidth  = 3.35_TBps,
          .launch            = kLaunch,
          .peaks             = {{"f32", 67_Tf}, {"f16", 989_Tf}, {"bf16", 989_Tf}, {"f8", 1979_Tf}, {"tf32", 494.5_Tf}},
          .nvlink_generation = 4};
}

Gpu h200_sxm5_141gb() {
  return {.kind    = "H200-SXM5-141GB",
          .sources = {"peaks, memory: H200 SXM, dense, those of the H100; 141 GB at 4.8 TB/s (stas00/ml-engineering "
                      "compute/accelerator/README.md)",
                      kLaunchSource},
          .memory  = 141_GB,
          .memory_bandwidth  = 4.8_TBps,
          .launch            = kLaunch,
          .peaks             = {{"f32", 67_Tf}, {"f16", 989_Tf}, {"bf16", 989_Tf}, {"f8", 1979_Tf}, {"tf32", 494.5_Tf}},
          .nvlink_generation = 4};
}

Gpu gh200_96gb() {
  return {.kind    = "GH200-96GB",
          .sources = {"peaks: those of the H100 SXM, dense (stas00/ml-engineering compute/accelerator/README.md)",
                      "memory: 96 GB of HBM3 at 4 TB/s (NVIDIA GH200 data sheet)", kLaunchSource},
          .memory  = 96_GB,
          .memory_bandwidth  = 4_TBps,
          .launch            = kLaunch,
          .peaks             = {{"f32", 67_Tf}, {"f16", 989_Tf}, {"bf16", 989_Tf}, {"f8", 1979_Tf}, {"tf32", 494.5_Tf}},
          .nvlink_generation = 4};
}

Gpu b200_180gb() {
  return {.kind             = "B200-180GB",
          .sources          = {"peaks: B200 SXM, dense (stas00/ml-engineering compute/accelerator/README.md); f32 75 "
                                        "(NVIDIA Blackwell data sheet)",
                               "memory: 1440 GB at 64 TB/s over 8 GPUs (NVIDIA DGX B200 data sheet)", kLaunchSource},
          .memory           = 180_GB,
          .memory_bandwidth = 8_TBps,
          .launch           = kLaunch,
          .peaks            = {{"f32", 75_Tf}, {"f16", 2250_Tf}, {"bf16", 2250_Tf}, {"f8", 4500_Tf}, {"tf32", 1125_Tf}},
          .nvlink_generation = 5};
}

Gpu gb200() {
  return {.kind             = "GB200-186GB",
          .sources          = {"peaks, memory: GB200 SXM, dense, 186 GB at 8 TB/s (stas00/ml-engineering "
                                        "compute/accelerator/README.md)",
                               kLaunchSource},
          .memory           = 186_GB,
          .memory_bandwidth = 8_TBps,
          .launch           = kLaunch,
          .peaks            = {{"f32", 80_Tf}, {"f16", 2500_Tf}, {"bf16", 2500_Tf}, {"f8", 5000_Tf}, {"tf32", 1250_Tf}},
          .nvlink_generation = 5};
}

Gpu a40() {
  return {.kind    = "A40-48GB",
          .sources = {"peaks, memory: A40, dense, 48 GB at 696 GB/s (ecer.com product page after NVIDIA's sheet)",
                      kLaunchSource},
          .memory  = 48_GB,
          .memory_bandwidth = 696_GBps,
          .launch           = kLaunch,
          .peaks            = {{"f32", 37.4_Tf}, {"f16", 149.7_Tf}, {"bf16", 149.7_Tf}, {"tf32", 74.8_Tf}}};
}

Gpu l40s() {
  return {.kind             = "L40S-48GB",
          .sources          = {"peaks: L40S, dense (stas00/ml-engineering compute/accelerator/README.md)",
                               "memory: 48 GB at 864 GB/s (itcreations.com product page after NVIDIA's sheet)", kLaunchSource},
          .memory           = 48_GB,
          .memory_bandwidth = 864_GBps,
          .launch           = kLaunch,
          .peaks            = {{"f32", 91.6_Tf}, {"f16", 362_Tf}, {"bf16", 362_Tf}, {"f8", 733_Tf}, {"tf32", 183_Tf}}};
}

// The tensor cores of the A10 are those of the A40, whose 149.7 Tf are 336 cores x 128 multiply-adds x 1.74 GHz.
Gpu a10() {
  return {.kind    = "A10-24GB",
          .sources = {"peaks: f32 31.24 (sysrqmts.com); f16, bf16: 288 tensor cores x 128 multiply-adds x 1.695 GHz "
                      "= 125, tf32 half of it",
                      "memory: 24 GB (baseten.co); 600.2 GB/s (sysrqmts.com)", kLaunchSource},
          .memory  = 24_GB,
          .memory_bandwidth = 600.2_GBps,
          .launch           = kLaunch,
          .peaks            = {{"f32", 31.24_Tf}, {"f16", 125_Tf}, {"bf16", 125_Tf}, {"tf32", 62.5_Tf}}};
}

Gpu cpu_socket() {
  return {.kind             = "CPU-socket",
          .sources          = {"peaks: an assumption, 32 cores x 2 AVX-512 units x 16 f32 multiply-adds x 2.5 GHz",
                               "memory: 8 channels of DDR4-3200 = 204.8 GB/s (xryan.net/p/295); 256 GB, an assumption",
                               "launch: 1 us, an assumption"},
          .memory           = 256_GB,
          .memory_bandwidth = 204.8_GBps,
          .launch           = 1_us,
          .peaks            = {{"f32", 5.12_Tf}, {"f64", 2.56_Tf}}};
}

Gpu cpu_core() {
  return {.kind    = "CPU-core",
          .sources = {"peak: one AVX2 unit with fused multiply-add at 3 GHz, 8 x 2 x 3 Gflop/s; the reference kernels "
                      "are far slower,",
                      "  `foreflow calibrate` measures how much", "memory: 4 GB each at 10 GB/s, an assumption"},
          .memory  = 4_GB,
          .memory_bandwidth = 10_GBps,
          .launch           = 1_us,
          .peaks            = {{"f32", 48_Gf}}};
}

}  // namespace foreflow::platform
