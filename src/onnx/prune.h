// Removes unused parameters of a function.
#pragma once

#include <set>

#include "foreflow/ir/module.h"

namespace foreflow::onnx {

// The function without those parameters among `candidates` that no op and no result reads.
ir::Function without_unread(const ir::Function& function, const std::set<ir::ValueId>& candidates);

}  // namespace foreflow::onnx
