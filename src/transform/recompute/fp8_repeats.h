// Conversions to fp8 in a repeated part of the forward pass.
#pragma once

#include <map>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// The attributes of those of the `repeated` ops that convert an activation for another op, which is not repeated. Of
// several products with one activation the first converts it (ir::kFp8): without that one, the first that is repeated
// does, and where none is, the cast whose copy the gradients of weights read, which then takes time of its own.
std::map<size_t, ir::Attributes> converting_again(const ir::Function& function, const std::vector<size_t>& repeated);

}  // namespace foreflow::transform
