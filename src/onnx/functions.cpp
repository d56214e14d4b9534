#include "onnx/functions.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "foreflow/base/error.h"
#include "onnx/message.h"
#include "onnx/node.h"
#include "onnx/support.h"

namespace foreflow::onnx {

using onnx_proto::AttributeProto;
using onnx_proto::FunctionProto;
using onnx_proto::GraphProto;
using onnx_proto::NodeProto;

namespace {

using Names = std::map<std::string, std::string>;  // in the function -> in the graph

void collect_names(const GraphProto& graph, std::set<std::string>& names) {
  for (const auto& input : graph.input()) names.insert(input.name());
  for (const auto& tensor : graph.initializer()) names.insert(tensor.name());
  for (const NodeProto& node : graph.node()) {
    names.insert(node.output().begin(), node.output().end());
    for (const AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) collect_names(attribute.g(), names);
    }
  }
}

// More would be no model, and would exhaust the stack or memory: calls may double at every level.
constexpr size_t kDeepest = 200, kMostSteps = 200'000, kMostBytes = size_t{1} << 30;

class FunctionInliner {
 public:
  FunctionInliner(const onnx_proto::ModelProto& model, const std::string& file) : file_(file), opsets_(model, file) {
    for (const FunctionProto& function : model.functions()) {
      if (!functions_.emplace(key_of(function, function.name()), &function).second)
        throw Error(file, name_of(function) + " stands twice in the file");
    }
    collect_names(model.graph(), taken_);
  }

  // Replaces the calls in the graph, whose nodes have the place `where` in messages.
  void run(GraphProto& graph, const std::string& where) {
    google::protobuf::RepeatedPtrField<NodeProto> nodes;
    nodes.Swap(graph.mutable_node());
    for (int n = 0; n < nodes.size(); ++n) append(*nodes.Mutable(n), where_of(where, nodes[n], n), graph);
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // domain, name, overload

  template <class NodeOrFunction>
  static Key key_of(const NodeOrFunction& from, const std::string& name) {
    return {canonical_domain(from.domain()), name, from.overload()};
  }

  static std::string name_of(const FunctionProto& function) {
    return "function " + quote(function.name()) +
           (function.overload().empty() ? "" : " with overload " + quote(function.overload()));
  }

  const FunctionProto* function_of(const NodeProto& node) const {
    const auto found = functions_.find(key_of(node, node.op_type()));
    return found == functions_.end() ? nullptr : found->second;
  }

  // Appends the node, whose content it takes, or what the node calls, to the graph.
  void append(NodeProto& node, const std::string& where, GraphProto& graph) {
    if (const FunctionProto* function = function_of(node)) return call(*function, node, where, graph);
    for (AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) run(*attribute.mutable_g(), where + ": " + attribute.name());
    }
    graph.add_node()->Swap(&node);
  }

  void call(const FunctionProto& function, const NodeProto& node, const std::string& where, GraphProto& graph) {
    check(function, node, where);
    open_.push_back(&function);
    Names names;
    for (int i = 0; i < function.input_size(); ++i)
      names[function.input(i)] = i < node.input_size() ? node.input(i) : std::string();
    const std::string prefix = prefix_of(node);
    for (int i = 0; i < function.output_size(); ++i) {
      if (i >= node.output_size() || node.output(i).empty()) continue;
      const auto known = names.find(function.output(i));
      if (known == names.end()) {
        names.emplace(function.output(i), node.output(i));
        continue;
      }
      NodeProto& copy = *graph.add_node();  // a result that is an operand, or the same as another result
      copy.set_op_type("Identity");
      copy.add_input(known->second);
      copy.add_output(node.output(i));
    }
    for (const NodeProto& inner : function.node()) {
      NodeProto copy = inner;
      give_attributes(copy, function, node);
      rename(copy, names, prefix);
      copy.set_name(prefix + (inner.name().empty() ? inner.op_type() : inner.name()));
      spend(copy, function, where);
      append(copy, where + ": " + inner.op_type(), graph);
    }
    open_.pop_back();
  }

  // Counts what calls have written so far.
  void spend(const NodeProto& written, const FunctionProto& function, const std::string& where) {
    bytes_ += written.ByteSizeLong();
    if (++steps_ <= kMostSteps && bytes_ <= kMostBytes) return;
    throw Error(outermost(where), name_of(function) + " makes the model grow beyond " + std::to_string(kMostSteps) +
                                      " nodes, or 1 GiB, when its calls are written out; give it fewer");
  }

  // "m.onnx: node 3": without the functions through which the place was reached, which may be many.
  std::string outermost(const std::string& where) const { return where.substr(0, where.find(": ", file_.size() + 2)); }

  void check(const FunctionProto& function, const NodeProto& node, const std::string& where) const {
    const std::string name = name_of(function);
    if (std::find(open_.begin(), open_.end(), &function) != open_.end())
      throw Error(where, name + " calls itself; functions of a model may not");
    if (open_.size() >= kDeepest)
      throw Error(outermost(where),
                  name + " is called through " + std::to_string(kDeepest) + " others; fewer levels would be right");
    check_count(name, "operands", node.input_size(), function.input_size(), where);
    check_count(name, "results", node.output_size(), function.output_size(), where);
    for (const auto& import : function.opset_import()) {
      const std::string domain = canonical_domain(import.domain());
      if (domain.empty() && import.version() != opsets_.version(domain))
        throw Error(where, name + " is written in opset " + std::to_string(import.version()) + ", the model in opset " +
                               std::to_string(opsets_.version(domain)) +
                               "; inline it with onnx.inliner.inline_local_functions");
    }
  }

  static void check_count(const std::string& name, const std::string& what, int given, int known,
                          const std::string& where) {
    if (given > known)
      throw Error(where,
                  name + " has " + std::to_string(known) + " " + what + "; the call has " + std::to_string(given));
  }

  // "y/": names in the call begin like this.
  std::string prefix_of(const NodeProto& node) {
    const auto named = std::find_if(node.output().begin(), node.output().end(),
                                    [](const std::string& output) { return !output.empty(); });
    return (named == node.output().end() ? node.op_type() : *named) + "/";
  }

  std::string renamed(const std::string& name, Names& names, const std::string& prefix) {
    if (name.empty()) return name;
    const auto known = names.find(name);
    if (known != names.end()) return known->second;
    std::string fresh = prefix + name;
    while (!taken_.insert(fresh).second) fresh += "_";
    return names[name] = fresh;
  }

  void rename(NodeProto& node, Names& names, const std::string& prefix) {
    for (std::string& input : *node.mutable_input()) input = renamed(input, names, prefix);
    for (AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) rename(*attribute.mutable_g(), names, prefix);
    }
    for (std::string& output : *node.mutable_output()) output = renamed(output, names, prefix);
  }

  // Names of the body are its own; others are those around it.
  void rename(GraphProto& graph, Names names, const std::string& prefix) {
    for (auto& input : *graph.mutable_input()) {
      names.erase(input.name());
      input.set_name(renamed(input.name(), names, prefix));
    }
    for (auto& tensor : *graph.mutable_initializer()) {
      names.erase(tensor.name());
      tensor.set_name(renamed(tensor.name(), names, prefix));
    }
    for (NodeProto& node : *graph.mutable_node()) rename(node, names, prefix);
    for (auto& output : *graph.mutable_output()) output.set_name(renamed(output.name(), names, prefix));
  }

  // Replaces attributes that name one of the function by what the call, or the function by default, gives; those that
  // neither gives are absent.
  void give_attributes(NodeProto& inner, const FunctionProto& function, const NodeProto& node) {
    google::protobuf::RepeatedPtrField<AttributeProto> own;
    own.Swap(inner.mutable_attribute());
    for (AttributeProto& attribute : own) {
      if (attribute.has_g()) {
        for (NodeProto& deeper : *attribute.mutable_g()->mutable_node()) give_attributes(deeper, function, node);
      }
      if (attribute.ref_attr_name().empty()) {
        inner.add_attribute()->Swap(&attribute);
      } else if (const AttributeProto* given = given_attribute(attribute.ref_attr_name(), function, node)) {
        AttributeProto& copy = *inner.add_attribute() = *given;
        copy.set_name(attribute.name());
      }
    }
  }

  static const AttributeProto* given_attribute(const std::string& name, const FunctionProto& function,
                                               const NodeProto& node) {
    for (const auto* list : {&node.attribute(), &function.attribute_proto()}) {
      for (const AttributeProto& attribute : *list) {
        if (attribute.name() == name) return &attribute;
      }
    }
    return nullptr;
  }

  const std::string& file_;
  const Opsets opsets_;
  std::map<Key, const FunctionProto*> functions_;
  std::set<std::string> taken_;
  std::vector<const FunctionProto*> open_;  // the calls that are being written
  size_t steps_ = 0, bytes_ = 0;            // what they have written
};

}  // namespace

void inline_functions(onnx_proto::ModelProto& model, const std::string& file) {
  if (model.functions_size() > 0) FunctionInliner(model, file).run(*model.mutable_graph(), file);
}

}  // namespace foreflow::onnx
