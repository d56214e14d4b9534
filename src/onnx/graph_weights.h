// The weights of a program, which are initializers of the model's graph and of the graphs inside its nodes.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "foreflow/onnx/import.h"
#include "onnx/emitter.h"
#include "onnx/scope.h"

namespace foreflow::onnx {

class GraphWeights {
 public:
  // External tensors are in `folder`, if there is one. The emitter must outlive it.
  GraphWeights(std::optional<std::filesystem::path> folder, Numbers numbers, Emitter& emitter)
      : folder_(std::move(folder)), numbers_(numbers), emitter_(emitter) {}

  // The initializers of a graph, which are read once. `where` names the graph.
  const Initializers& initializers_of(const onnx_proto::GraphProto& graph, const std::string& where);
  // Defines the names of its initializers: constants, which become ops where they are used, and parameters.
  void define(Scope& scope);
  // Adds the parameters of all graphs inside the nodes of `graph`. Parameters stand before the first op, so that those
  // of bodies are made before anybody knows which are used.
  void add_inner(const onnx_proto::GraphProto& graph, const std::string& where);

  const std::set<ir::ValueId>& inner() const { return inner_; }
  // The elements, by the name of the parameter, as far as they are read.
  std::map<std::string, ir::Array> take_elements() { return std::move(elements_); }

 private:
  ir::ValueId parameter(const Initializers& initializers, const onnx_proto::TensorProto& tensor,
                        const std::string& where);

  const std::optional<std::filesystem::path> folder_;
  const Numbers numbers_;
  Emitter& emitter_;
  std::deque<Initializers> all_;
  std::unordered_map<const onnx_proto::GraphProto*, const Initializers*> by_graph_;
  std::unordered_map<const onnx_proto::TensorProto*, ir::ValueId> parameters_;
  std::set<ir::ValueId> inner_;
  std::map<std::string, ir::Array> elements_;
};

}  // namespace foreflow::onnx
