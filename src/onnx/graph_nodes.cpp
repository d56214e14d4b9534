#include "onnx/graph_nodes.h"

#include <algorithm>
#include <string>

#include "foreflow/base/nth.h"
#include "foreflow/ir/attribute_names.h"
#include "onnx/message.h"
#include "onnx/names.h"
#include "onnx/order.h"
#include "onnx/subgraphs.h"

namespace foreflow::onnx {

using ir::ValueId;

namespace {

// The attributes of a node without those that its op does not have. Operators of ONNX Runtime gain attributes without a
// version; a program with one that nobody here knows could not be read again.
ir::Attributes meant_here(const ir::OpTable& ops, const Node& node) {
  const ir::OpDef& def = ops.get(node.op, node.where);
  ir::Attributes meant = node.attributes;
  for (const auto& [name, value] : node.attributes) {
    if (!ir::may_have(def, name)) meant.erase(name);
  }
  return meant;
}

}  // namespace

void GraphNodes::write(Scope& scope, const std::vector<int>& order) {
  for (const int n : order) write(scope, n);
}

void GraphNodes::write(Scope& scope, int n) {
  ReadNode read                 = read_node(scope, n, opsets_);
  std::vector<ValueId> operands = operands_of(scope, read.node);
  const size_t first            = emitter_.values();
  const std::vector<ValueId> results =
      read.expand == nullptr ? emit(read.node, std::move(operands)) : expand(scope, n, read, std::move(operands));
  if (read.expand != nullptr && !read.is_control_flow) name_results(read.node, results, first);
  if (results.size() < read.node.outputs.size())
    throw Error(read.node.where, "has " + std::to_string(read.node.outputs.size()) + " results; its bodies give " +
                                     std::to_string(results.size()));
  define_results(scope, n, read.node, results);
}

ValueId GraphNodes::use(Scope& scope, std::string_view name) {
  return scope.use(
      name, [&](const ir::Array& constant, std::string_view as) { return emitter_.constant(constant, text_name(as)); });
}

std::vector<ValueId> GraphNodes::operands_of(Scope& scope, const Node& node) {
  std::vector<ValueId> operands;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const auto literal = node.literals.find(i);
    operands.push_back(literal == node.literals.end() ? use(scope, node.inputs[i])
                                                      : emitter_.constant(literal->second));
  }
  return operands;
}

std::vector<ValueId> GraphNodes::emit(Node& node, std::vector<ValueId> operands) {
  const bool is_value = operands.size() == 1 && operands[0] != ValueId::none;
  if (node.op == "Identity" && is_value && emitter_.elements(operands[0]) != nullptr) return operands;
  std::vector<std::string> names;
  for (const std::string& output : node.outputs) names.push_back(text_name(output));
  return emitter_.emit(node.where, node.op, std::move(operands), meant_here(emitter_.table(), node),
                       node.outputs.size(), names);
}

std::vector<ValueId> GraphNodes::expand(Scope& scope, int n, const ReadNode& read, std::vector<ValueId> operands) {
  const Node& node = read.node;
  const ControlNode control{emitter_,
                            scope.graph.node(n),
                            node.where,
                            node.opset,
                            node.attributes,
                            std::move(operands),
                            [&](std::string_view attribute, std::span<const ValueId> arguments) {
                              return inlined(scope, n, attribute, arguments);
                            }};
  try {
    return read.expand(control);
  } catch (const PartError& error) {
    throw Error(node.where, error.what());
  }
}

// Gives the results of an operator that becomes several ops the names of the file. Values before `first` keep their
// names.
void GraphNodes::name_results(const Node& node, const std::vector<ValueId>& results, size_t first) {
  for (size_t i = 0; i < std::min(results.size(), node.outputs.size()); ++i) {
    const bool is_sequence = emitter_.elements(results[i]) != nullptr;
    if (!node.outputs[i].empty() && results[i] != ValueId::none && !is_sequence && ir::index(results[i]) >= first)
      emitter_.set_name(results[i], text_name(node.outputs[i]));
  }
}

void GraphNodes::define_results(Scope& scope, int n, const Node& node, const std::vector<ValueId>& results) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    if (results[i] == ValueId::none)
      throw Error(node.where, node.op + " has no result " + std::to_string(i) + ", " + quote(node.outputs[i]));
    scope.values[scope.graph.node(n).output(static_cast<int>(i))] = results[i];  // the graph keeps its name
  }
}

std::vector<ValueId> GraphNodes::inlined(Scope& outer, int n, std::string_view attribute,
                                         std::span<const ValueId> arguments) {
  const onnx_proto::NodeProto& proto = outer.graph.node(n);
  const std::string where            = where_of_body(outer.where, proto, n, attribute);
  const onnx_proto::GraphProto& body = subgraph(proto, attribute, where_of(outer.where, proto, n));
  if (static_cast<size_t>(body.input_size()) != arguments.size())
    throw Error(where, "takes " + std::to_string(body.input_size()) + " values; it is given " +
                           std::to_string(arguments.size()));
  Scope scope{body, where, weights_.initializers_of(body, where), &outer};
  for (int i = 0; i < body.input_size(); ++i) scope.values[body.input(i).name()] = nth(arguments, i);
  weights_.define(scope);
  write(scope, order_of(scope));
  return results_of(scope);
}

const std::vector<int>& GraphNodes::order_of(const Scope& scope) {
  const auto [entry, fresh] = orders_.try_emplace(&scope.graph);
  if (fresh)
    entry->second =
        execution_order(scope.graph, scope.where, [&](std::string_view name) { return scope.defines(name); });
  return entry->second;
}

std::vector<ValueId> GraphNodes::results_of(Scope& scope) {
  std::vector<ValueId> results;
  for (const auto& output : scope.graph.output()) {
    if (!scope.defines(output.name()))
      throw Error(scope.where + ": graph output " + quote(output.name()), "no node defines it");
    results.push_back(use(scope, output.name()));
  }
  return results;
}

}  // namespace foreflow::onnx
