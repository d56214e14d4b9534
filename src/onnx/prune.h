// Takes parameters out of a function that nothing reads.
#pragma once

#include <set>

#include "foreflow/ir/module.h"

namespace foreflow::onnx {

// The function without those of `candidates` that no op and no result reads.
ir::Function without_unread(const ir::Function& function, const std::set<ir::ValueId>& candidates);

}  // namespace foreflow::onnx
