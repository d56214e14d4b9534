#include "onnx/subgraphs.h"

#include <algorithm>
#include <iterator>

#include "foreflow/base/error.h"
#include "onnx/message.h"

namespace foreflow::onnx {

namespace {

std::set<std::string_view> captured(const onnx_proto::GraphProto& graph) {
  std::set<std::string_view> reads, own;
  for (const auto& input : graph.input()) own.insert(input.name());
  for (const auto& tensor : graph.initializer()) own.insert(tensor.name());
  for (const auto& sparse : graph.sparse_initializer()) own.insert(sparse.values().name());
  for (const auto& node : graph.node()) {
    reads.merge(reads_of(node));
    own.insert(node.output().begin(), node.output().end());
  }
  for (const auto& output : graph.output()) reads.insert(output.name());
  std::set<std::string_view> outside;
  std::set_difference(reads.begin(), reads.end(), own.begin(), own.end(), std::inserter(outside, outside.end()));
  return outside;
}

}  // namespace

std::vector<std::pair<std::string_view, const onnx_proto::GraphProto*>> subgraphs(const onnx_proto::NodeProto& node) {
  std::vector<std::pair<std::string_view, const onnx_proto::GraphProto*>> graphs;
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) graphs.emplace_back(attribute.name(), &attribute.g());
    for (const auto& graph : attribute.graphs()) graphs.emplace_back(attribute.name(), &graph);
  }
  return graphs;
}

const onnx_proto::GraphProto& subgraph(const onnx_proto::NodeProto& node, std::string_view attribute,
                                       const std::string& where) {
  for (const auto& [name, graph] : subgraphs(node)) {
    if (name == attribute) return *graph;
  }
  throw Error(where, node.op_type() + " needs the graph " + quote(attribute));
}

bool has_subgraphs(const onnx_proto::GraphProto& graph) {
  return std::any_of(graph.node().begin(), graph.node().end(),
                     [](const auto& node) { return !subgraphs(node).empty(); });
}

std::set<std::string_view> reads_of(const onnx_proto::NodeProto& node) {
  std::set<std::string_view> reads(node.input().begin(), node.input().end());
  for (const auto& [name, graph] : subgraphs(node)) reads.merge(captured(*graph));
  reads.erase("");
  return reads;
}

}  // namespace foreflow::onnx
