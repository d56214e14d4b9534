// Graphs inside nodes (the branches of If, the bodies of Loop and Scan), and the outer values that they read.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// The bodies of a node, with the names of the attributes that hold them.
std::vector<std::pair<std::string_view, const onnx_proto::GraphProto*>> subgraphs(const onnx_proto::NodeProto& node);

// The body in attribute `attribute`. Throws Error at `where` if there is none.
const onnx_proto::GraphProto& subgraph(const onnx_proto::NodeProto& node, std::string_view attribute,
                                       const std::string& where);

bool has_subgraphs(const onnx_proto::GraphProto& graph);

// The names that a node reads: its operands, and the outer values that its bodies read.
std::set<std::string_view> reads_of(const onnx_proto::NodeProto& node);

}  // namespace foreflow::onnx
