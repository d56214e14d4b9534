// Operators that have the meaning of a row of the op table, but another name or another order of operands: most are of
// ONNX Runtime (com.microsoft) and of PyTorch's exporter (org.pytorch.aten).
#pragma once

#include <string_view>

#include "onnx/node.h"

namespace foreflow::onnx {

// The row that an operator of `domain` becomes; empty if it keeps its name. ATen can become one of several rows; this
// is the first of them.
std::string_view contrib_row(std::string_view domain, std::string_view op);

// Rewrites a node of one of these operators. Throws Error at node.where for an unknown ATen operator.
void restate_contrib(Node& node);

}  // namespace foreflow::onnx
