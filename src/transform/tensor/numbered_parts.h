// Finds values that are read in parts: a fused projection shown as [.., 3, n], of which query, key and value are rows.
#pragma once

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Returns true if every reader of a value, seen through views, takes numbered ones of its `parts`: a Split, a Slice of
// one row, or a look-up. False for a value without readers.
bool is_taken_apart(const ir::Function& function, const interpret::Values<interpret::Mixed>& values, ir::ValueId id,
                    int64_t parts);

}  // namespace foreflow::transform
