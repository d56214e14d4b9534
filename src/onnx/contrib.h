// Ops of other sets than ONNX's own that say the same as a row of the op table under another name or in another order:
// those of ONNX Runtime (com.microsoft) and of PyTorch's exporter (org.pytorch.aten).
#pragma once

#include <string_view>

#include "onnx/node.h"

namespace foreflow::onnx {

// The row that an op of `domain` becomes; empty: it has no other name than its own. ATen becomes one of several rows,
// of which this is the first.
std::string_view contrib_row(std::string_view domain, std::string_view op);

// Restates a node of one of these ops. Throws Error at node.where for an ATen operator that is not known.
void restate_contrib(Node& node);

}  // namespace foreflow::onnx
