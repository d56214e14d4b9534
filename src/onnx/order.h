// The order in which the nodes of a graph can run.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// Whether a name that the graph itself does not define means something outside of it.
using IsOuter = std::function<bool(std::string_view name)>;

// Node numbers so that each node stands after the producers of what it and its bodies read; among nodes that could be
// next, the first of the file (so a file in order keeps its order). A Constant that a later Constant defines again is
// left out. Throws Error naming the nodes: a value that nobody or that two define, a cycle.
std::vector<int> execution_order(
    const onnx_proto::GraphProto& graph, const std::string& file,
    const IsOuter& is_outer = [](std::string_view) { return false; });

}  // namespace foreflow::onnx
