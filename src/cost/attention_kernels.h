// Generations of flash attention, by how much slower they are than what laws were fitted to.
#pragma once

#include <string_view>
#include <vector>

namespace foreflow::cost {

struct AttentionKernels {
  std::string_view name, doc;
  // How many times as long they take as the kernels that were measured: FlashAttention 2 on devices before Hopper,
  // kernels made for the device from Hopper on.
  double forward = 1, backward = 1;
  double hopper_forward = 1, hopper_backward = 1;
};

const std::vector<AttentionKernels>& attention_kernels();

}  // namespace foreflow::cost
