// The values that are visible to the nodes of a graph: its own and, for the body of a node, those of the graphs around
// it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "foreflow/ir/module.h"
#include "onnx/initializers.h"

namespace foreflow::onnx {

struct Scope {
  const onnx_proto::GraphProto& graph;
  std::string where;  // the file, or the node and attribute that hold the body
  const Initializers& initializers;
  Scope* outer = nullptr;

  std::unordered_map<std::string_view, ir::ValueId> values  = {};  // by name in the file
  std::unordered_map<std::string_view, ir::Array> constants = {};  // not yet ops

  bool defines(std::string_view name) const {
    return values.contains(name) || constants.contains(name) || (outer != nullptr && outer->defines(name));
  }
  // The id of a value; none for an absent operand (""). A constant becomes an op at its first use.
  ir::ValueId use(std::string_view name, const std::function<ir::ValueId(const ir::Array&, std::string_view)>& emit) {
    if (name.empty()) return ir::ValueId::none;
    if (const auto value = values.find(name); value != values.end()) return value->second;
    if (const auto constant = constants.find(name); constant != constants.end()) {
      return values.emplace(constant->first, emit(constant->second, name)).first->second;
    }
    FOREFLOW_CHECK(outer != nullptr, "every operand has been found by the ordering");
    return outer->use(name, emit);
  }
  // The rank of a value, if the file states it.
  std::optional<size_t> rank_of(const std::string& value) const {
    if (const auto* tensor = initializers.find(value)) return tensor->dims_size();
    for (const auto* list : {&graph.input(), &graph.value_info()}) {
      for (const auto& info : *list) {
        if (info.name() == value && info.type().tensor_type().has_shape())
          return info.type().tensor_type().shape().dim_size();
      }
    }
    return outer == nullptr ? std::nullopt : outer->rank_of(value);
  }
};

}  // namespace foreflow::onnx
