// Reads a node of a graph as one of the newest opset, and finds the function that expands it, if there is one.
#pragma once

#include "onnx/control_flow.h"
#include "onnx/node.h"
#include "onnx/scope.h"
#include "onnx/support.h"

namespace foreflow::onnx {

struct ReadNode {
  Node node;
  Expand expand        = nullptr;  // writes it as other ops; null: it is an op of the table, in the newest opset
  bool is_control_flow = false;
};

// Node number `n` of the scope's graph, without absent operands and results at the end. Throws Error naming the node if
// it has what its operator has not, if the newest opset cannot express it, or if it has no outputs.
ReadNode read_node(const Scope& scope, int n, const Opsets& opsets);

}  // namespace foreflow::onnx
