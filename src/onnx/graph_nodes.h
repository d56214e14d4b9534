// Writes the nodes of a graph, and of the graphs inside them, as ops of the program.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnx/graph_weights.h"
#include "onnx/read_node.h"

namespace foreflow::onnx {

class GraphNodes {
 public:
  // All must outlive it.
  GraphNodes(const Opsets& opsets, GraphWeights& weights, Emitter& emitter)
      : opsets_(opsets), weights_(weights), emitter_(emitter) {}

  // Writes the nodes of these numbers, in this order, and defines their results in the scope. Throws Error naming a
  // node that cannot be written.
  void write(Scope& scope, const std::vector<int>& order);
  // The values of the graph's outputs. Throws Error for one that nothing defines.
  std::vector<ir::ValueId> results_of(Scope& scope);

 private:
  void write(Scope& scope, int n);
  ir::ValueId use(Scope& scope, std::string_view name);
  std::vector<ir::ValueId> operands_of(Scope& scope, const Node& node);
  std::vector<ir::ValueId> emit(Node& node, std::vector<ir::ValueId> operands);
  std::vector<ir::ValueId> expand(Scope& scope, int n, const ReadNode& read, std::vector<ir::ValueId> operands);
  void name_results(const Node& node, const std::vector<ir::ValueId>& results, size_t first);
  void define_results(Scope& scope, int n, const Node& node, const std::vector<ir::ValueId>& results);
  std::vector<ir::ValueId> inlined(Scope& outer, int n, std::string_view attribute,
                                   std::span<const ir::ValueId> arguments);
  const std::vector<int>& order_of(const Scope& scope);

  const Opsets& opsets_;
  GraphWeights& weights_;
  Emitter& emitter_;
  std::unordered_map<const onnx_proto::GraphProto*, std::vector<int>> orders_;  // of the graphs inside nodes
};

}  // namespace foreflow::onnx
