// The reverse rule of Einsum, which is an Einsum for each operand.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

void grad_einsum(GradBuilder& builder);

}  // namespace foreflow::ops
