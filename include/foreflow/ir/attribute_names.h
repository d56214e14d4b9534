// Which attributes an op may have in a program: those of its row, and marks. A mark is an attribute that passes put on
// ops for other passes, cost models and lowering, as `recompute`; programs are printed with their marks and read again.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/ir/op_def.h"

namespace foreflow::ir {

// Returns true if `name` is a mark or an attribute of the row, or if the row does not state its attributes.
bool may_have(const OpDef& def, std::string_view name);

// Describes an attribute that the op may not have, with the nearest one that it has and all of them: `attribute
// "stride" of Conv is not known; the nearest is "strides"; it has ..`. Empty if the op may have it.
std::string attribute_problem(const OpDef& def, std::string_view name);

}  // namespace foreflow::ir
