// Sorts the nodes of a graph topologically.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// Returns true if a name that the graph does not define is defined outside of it.
using IsOuter = std::function<bool(std::string_view name)>;

// Indices of the nodes, such that every node comes after those that compute what it and its bodies read. Among nodes
// that could come next, the first of the file is taken, so a sorted file keeps its order. A Constant that a later
// Constant defines again is left out.
//
// Throws Error naming the nodes if a value is not defined or is defined twice, or if there is a cycle.
std::vector<int> execution_order(
    const onnx_proto::GraphProto& graph, const std::string& file,
    const IsOuter& is_outer = [](std::string_view) { return false; });

}  // namespace foreflow::onnx
