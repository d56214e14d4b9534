// The attributes that ONNX's own operators have. A node with others means something that the op table cannot express.
#pragma once

#include "onnx/node.h"

namespace foreflow::onnx {

// The newest opset of ONNX's own operators whose ops are known.
constexpr int64_t kNewestOpset = 25;

// Throws Error at node.where for an attribute, or for more operands, than the operator has in any opset. Operators of
// other domains are not checked.
void check_known(const Node& node);

}  // namespace foreflow::onnx
