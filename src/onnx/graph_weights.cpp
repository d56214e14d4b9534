#include "onnx/graph_weights.h"

#include "onnx/names.h"
#include "onnx/node.h"
#include "onnx/subgraphs.h"
#include "onnx/tensor.h"

namespace foreflow::onnx {

using ir::ValueId;
using onnx_proto::TensorProto;

const Initializers& GraphWeights::initializers_of(const onnx_proto::GraphProto& graph, const std::string& where) {
  const auto [entry, fresh] = by_graph_.try_emplace(&graph, nullptr);
  if (fresh) entry->second = &all_.emplace_back(graph, where, folder_);
  return *entry->second;
}

void GraphWeights::define(Scope& scope) {
  for (const TensorProto* tensor : scope.initializers.used()) {
    if (auto constant = scope.initializers.constant(*tensor)) {
      scope.constants.emplace(tensor->name(), std::move(*constant));
    } else {
      scope.values[tensor->name()] = parameter(scope.initializers, *tensor, scope.where);
    }
  }
}

void GraphWeights::add_inner(const onnx_proto::GraphProto& graph, const std::string& where) {
  for (int n = 0; n < graph.node_size(); ++n) {
    for (const auto& [name, body] : subgraphs(graph.node(n))) {
      const std::string inside         = where_of_body(where, graph.node(n), n, name);
      const Initializers& initializers = initializers_of(*body, inside);
      for (const TensorProto* tensor : initializers.used()) {
        if (!initializers.constant(*tensor)) inner_.insert(parameter(initializers, *tensor, inside));
      }
      add_inner(*body, inside);
    }
  }
}

ValueId GraphWeights::parameter(const Initializers& initializers, const TensorProto& tensor, const std::string& where) {
  const auto known = parameters_.find(&tensor);
  if (known != parameters_.end()) return known->second;
  const ValueId id = emitter_.parameter(text_name(tensor.name()), ir::ParameterRole::weight,
                                        tensor_type(tensor, where_of(where, tensor)));
  parameters_.emplace(&tensor, id);
  if (numbers_ == Numbers::skip) {
    initializers.check_bytes(tensor);
    return id;
  }
  if (auto numbers = initializers.numbers(tensor)) elements_.emplace(emitter_.name(id), std::move(*numbers));
  return id;
}

}  // namespace foreflow::onnx
