// The order in which the nodes of a graph can run.
#pragma once

#include <string>
#include <vector>

#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// Node numbers so that each node stands after the producers of its inputs; among nodes that could be next, the first of
// the file (so a file in order keeps its order). A Constant that a later Constant defines again is left out. Throws
// Error naming the nodes: a value that nobody or that two define, a cycle.
std::vector<int> execution_order(const onnx_proto::GraphProto& graph, const std::string& file);

}  // namespace foreflow::onnx
