// The number of operands that an op may have in a program.
#pragma once

#include <span>
#include <string>

#include "foreflow/ir/module.h"

namespace foreflow::ir {

// Describes that `operands` are more than the op takes: "Relu has 3 operands; at most 1 would be right". Operands that
// are left out at the end do not count. Empty if the op may have them.
std::string operand_problem(const OpDef& def, std::span<const ValueId> operands);

}  // namespace foreflow::ir
