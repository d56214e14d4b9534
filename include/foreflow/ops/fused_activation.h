// The activation in which FusedConv and FusedGemm of com.microsoft end.
#pragma once

#include <string>

#include "foreflow/ir/attributes.h"

namespace foreflow::ops {

// The name of the activation's row in the op table, and its attributes under the names that they have there.
struct FusedActivation {
  std::string name;
  ir::Attributes attributes;
};

// Reads `activation` (Relu where it is absent) and the activation's own attributes, which stand one by one as
// `activation_NAME`, or as the list `activation_params`: alpha and beta, or the limits of Clip.
FusedActivation fused_activation(const ir::Attributes& attributes);

}  // namespace foreflow::ops
