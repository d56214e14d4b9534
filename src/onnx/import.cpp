#include "foreflow/onnx/import.h"

#include <filesystem>
#include <optional>
#include <unordered_map>

#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"
#include "onnx/initializers.h"
#include "onnx/message.h"
#include "onnx/names.h"
#include "onnx/normalise.h"
#include "onnx/order.h"
#include "onnx/port.h"
#include "onnx/proto.h"
#include "onnx/support.h"
#include "onnx/tensor.h"

namespace foreflow::onnx {
namespace {

using ir::Array;
using ir::ValueId;
using onnx_proto::GraphProto;
using onnx_proto::ModelProto;
using onnx_proto::NodeProto;
using onnx_proto::TensorProto;

std::string function_name(const GraphProto& graph) { return graph.name().empty() ? "main" : text_name(graph.name()); }

class Importer {
 public:
  Importer(const ModelProto& model, const std::string& file, std::optional<std::filesystem::path> folder,
           const ir::OpTable& ops, Numbers numbers)
      : graph_(model.graph()),
        file_(file),
        numbers_(numbers),
        opsets_(model, file),
        initializers_(graph_, file, std::move(folder)),
        builder_(function_name(graph_), ops) {}

  Imported run() && {
    check_supported(graph_, opsets_, builder_.table(), file_);
    const std::vector<int> order = execution_order(graph_, file_);
    for (const auto& input : graph_.input()) add_input(input);
    add_initializers();
    for (const int n : order) add_node(n);
    finish();
    return std::move(result_);
  }

 private:
  void add_input(const onnx_proto::ValueInfoProto& input) {
    if (input.name().empty()) throw Error(file_, "a graph input has no name");
    if (initializers_.contains(input.name())) return;  // it has a default, as every weight had until IR version 3
    const auto type       = stated_type(input, file_ + ": graph input " + quote(input.name()));
    const ValueId id      = builder_.parameter(text_name(input.name()), ir::ParameterRole::data,
                                          type ? std::make_shared<const ir::Type>(*type) : nullptr);
    values_[input.name()] = id;
    result_.inputs.push_back({input.name(), name_of(id), stated_dimensions(input)});
  }

  void add_initializers() {
    for (const TensorProto* tensor : initializers_.used()) {
      if (auto constant = initializers_.constant(*tensor)) {
        constants_.emplace(tensor->name(), std::move(*constant));
        continue;
      }
      const ValueId id        = builder_.parameter(text_name(tensor->name()), ir::ParameterRole::weight,
                                                   tensor_type(*tensor, where_of(file_, *tensor)));
      values_[tensor->name()] = id;
      if (numbers_ == Numbers::skip) continue;
      if (auto numbers = initializers_.numbers(*tensor)) result_.weights.emplace(name_of(id), std::move(*numbers));
    }
  }

  void add_node(int n) {
    const NodeProto& proto = graph_.node(n);
    Node node;
    node.where      = where_of(file_, proto, n);
    node.op         = proto.op_type();
    node.domain     = canonical_domain(proto.domain());
    node.opset      = opsets_.version(node.domain);
    node.attributes = read_attributes(proto, node.where);
    node.inputs     = {proto.input().begin(), proto.input().end()};
    node.outputs    = {proto.output().begin(), proto.output().end()};
    normalise_at(node);
    while (!node.inputs.empty() && node.inputs.back().empty() && !node.literals.contains(node.inputs.size() - 1))
      node.inputs.pop_back();
    while (!node.outputs.empty() && node.outputs.back().empty()) node.outputs.pop_back();

    std::vector<ValueId> operands;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const auto literal = node.literals.find(i);
      operands.push_back(literal == node.literals.end() ? use(node.inputs[i])
                                                        : builder_.op("Constant", {}, {{"value", literal->second}}));
    }
    std::vector<std::string> names;
    for (const std::string& output : node.outputs) names.push_back(text_name(output));
    const auto results =
        builder_.emit(node.op, std::move(operands), std::move(node.attributes), node.outputs.size(), names);
    for (size_t i = 0; i < results.size(); ++i) {
      if (!node.outputs[i].empty()) values_[proto.output(static_cast<int>(i))] = results[i];
    }
  }

  // Rules read attributes, which do not know their node when they complain.
  void normalise_at(Node& node) const {
    try {
      normalise(node, [this](const std::string& value) { return rank_of(value); });
    } catch (const Error& error) {
      if (error.where() == node.where) throw;
      throw Error(node.where, error.what());
    }
  }

  std::optional<size_t> rank_of(const std::string& value) const {
    if (const TensorProto* tensor = initializers_.find(value)) return tensor->dims_size();
    for (const auto* list : {&graph_.input(), &graph_.value_info()}) {
      for (const auto& info : *list) {
        if (info.name() == value && info.type().tensor_type().has_shape())
          return info.type().tensor_type().shape().dim_size();
      }
    }
    return std::nullopt;
  }

  // A constant initializer is placed before its first use.
  ValueId use(const std::string& name) {
    if (name.empty()) return ValueId::none;
    if (const auto value = values_.find(name); value != values_.end()) return value->second;
    const auto constant = constants_.find(name);
    FOREFLOW_CHECK(constant != constants_.end(), "every operand has been found by the ordering");
    const ValueId id = builder_.op("Constant", {}, {{"value", constant->second}}, text_name(name));
    values_.emplace(constant->first, id);
    return id;
  }

  void finish() {
    std::vector<ValueId> results;
    for (const auto& output : graph_.output()) {
      if (!values_.contains(output.name()) && !constants_.contains(output.name())) {
        throw Error(file_ + ": graph output " + quote(output.name()), "no node defines it");
      }
      const ValueId id = use(output.name());
      results.push_back(id);
      result_.outputs.push_back({output.name(), name_of(id), stated_dimensions(output)});
    }
    result_.opset         = opsets_.version("");
    result_.nodes         = graph_.node_size();
    result_.module.source = file_;
    result_.module.functions.push_back(builder_.finish(std::move(results)));
    ir::verify(result_.module);
  }

  std::string name_of(ValueId id) const { return builder_.function().value(id).name; }

  const GraphProto& graph_;
  const std::string& file_;
  Numbers numbers_;
  Opsets opsets_;
  Initializers initializers_;
  ir::FunctionBuilder builder_;
  std::unordered_map<std::string_view, ValueId> values_;  // by names in the file
  std::unordered_map<std::string_view, Array> constants_;
  Imported result_;
};

Imported import_message(std::string_view bytes, const std::string& file, std::optional<std::filesystem::path> folder,
                        const ir::OpTable& ops, Numbers numbers) {
  ModelProto model;
  parse_message(bytes, file, "an ONNX model", model);
  if (!model.has_graph()) throw Error(file, "holds no graph; it is not an ONNX model");
  if (model.graph().node_size() == 0 && model.graph().output_size() == 0)
    throw Error(file, "its graph has neither nodes nor outputs");
  return Importer(model, file, std::move(folder), ops, numbers).run();
}

}  // namespace

Imported import_model(const std::string& path, const ir::OpTable& ops, Numbers numbers) {
  return import_message(read_message_file(path), path, std::filesystem::path(path).parent_path(), ops, numbers);
}

Imported import_bytes(std::string_view bytes, const std::string& name, const ir::OpTable& ops, Numbers numbers) {
  return import_message(bytes, name, std::nullopt, ops, numbers);
}

}  // namespace foreflow::onnx
