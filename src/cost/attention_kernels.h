// Generations of flash attention, by how much slower they are than what laws were fitted to.
#pragma once

#include <string_view>
#include <vector>

namespace foreflow::cost {

struct AttentionKernels {
  std::string_view name, doc;
  // Times as long as FlashAttention 2 on devices whose laws are of it, and as kernels made for Hopper on later ones.
  double forward = 1, backward = 1;
  double hopper_forward = 1, hopper_backward = 1;
};

const std::vector<AttentionKernels>& attention_kernels();

}  // namespace foreflow::cost
