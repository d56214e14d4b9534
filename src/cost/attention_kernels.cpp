#include "cost/attention_kernels.h"

namespace foreflow::cost {
namespace {

// FlashAttention 3 is 1.5 to 2 times as fast as FlashAttention 2 on an H100 forward, 1.5 to 1.75 times backward (Shah
// et al., 2024): the middles.
constexpr double kHopperForward = 1.75, kHopperBackward = 1.625;
// FlashAttention 2 is 1.7 to 3 times as fast as FlashAttention, about 2 times (Dao, 2023).
constexpr double kFirst = 2;
// FlashAttention 2 is 1.3 to 2.5 times as fast as FlashAttention in Triton (Dao, 2023, section 4.1): 1.3 to 1.5 times
// forward, about 2 times backward.
constexpr double kTritonForward = 1.4, kTritonBackward = 2;

}  // namespace

const std::vector<AttentionKernels>& attention_kernels() {
  static const std::vector<AttentionKernels> rows = {
      {"tuned", "kernels made for the device, as those that were measured"},
      {"flash2", "FlashAttention 2, whose kernels are those of Ampere", 1, 1, kHopperForward, kHopperBackward},
      {"flash1", "FlashAttention 1, of 2022 and the first half of 2023", kFirst, kFirst, kFirst * kHopperForward,
       kFirst * kHopperBackward},
      {"triton", "FlashAttention 1 in Triton, of 2022 and 2023", kTritonForward, kTritonBackward,
       kTritonForward * kHopperForward, kTritonBackward * kHopperBackward}};
  return rows;
}

}  // namespace foreflow::cost
