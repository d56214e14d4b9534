#include "foreflow/onnx/import.h"

#include <deque>
#include <filesystem>
#include <optional>

#include "foreflow/ir/text.h"
#include "onnx/control_flow.h"
#include "onnx/expansion.h"
#include "onnx/functions.h"
#include "onnx/known_attributes.h"
#include "onnx/message.h"
#include "onnx/names.h"
#include "onnx/normalise.h"
#include "onnx/order.h"
#include "onnx/port.h"
#include "onnx/proto.h"
#include "onnx/prune.h"
#include "onnx/scope.h"
#include "onnx/subgraphs.h"
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
using Folder = std::optional<std::filesystem::path>;

std::string function_name(const GraphProto& graph) { return graph.name().empty() ? "main" : text_name(graph.name()); }

// The entry of an input in a map, under its name in the file or in the program.
template <class T>
const T* given_for(const std::map<std::string, T>& given, const std::string& name) {
  const auto found = given.find(name);
  if (found != given.end()) return &found->second;
  const auto text = given.find(text_name(name));
  return text == given.end() ? nullptr : &text->second;
}

class Importer {
 public:
  Importer(const ModelProto& model, const std::string& file, Folder folder, const ir::OpTable& ops, Numbers numbers,
           const Given& given)
      : file_(file),
        folder_(std::move(folder)),
        numbers_(numbers),
        given_(given),
        opsets_(model, file),
        emitter_(function_name(model.graph()), ops,
                 has_subgraphs(model.graph()) || has_expansions(model.graph()) ? Emitter::Follow::results
                                                                               : Emitter::Follow::nothing),
        main_{model.graph(), file, initializers_of(model.graph(), file)} {}

  Imported run() && {
    check_supported(main_.graph, opsets_, emitter_.table(), file_);
    const std::vector<int> order = execution_order(main_.graph, file_);
    find_symbol_sizes();
    for (const auto& input : main_.graph.input()) add_input(input);
    add_initializers(main_);
    add_inner_weights(main_.graph, file_);
    for (const int n : order) add_node(main_, n);
    finish();
    return std::move(result_);
  }

 private:
  const Initializers& initializers_of(const GraphProto& graph, const std::string& where) {
    const auto [entry, fresh] = initializers_.try_emplace(&graph, nullptr);
    if (fresh) entry->second = &all_initializers_.emplace_back(graph, where, folder_);
    return *entry->second;
  }

  void find_symbol_sizes() {
    std::vector<Port> inputs;
    for (const auto& input : main_.graph.input()) {
      if (!main_.initializers.contains(input.name()))
        inputs.push_back({input.name(), text_name(input.name()), stated_dimensions(input)});
    }
    if (has_subgraphs(main_.graph) && !(given_.dims.empty() && given_.shapes.empty()))
      symbol_sizes_ = symbol_sizes(inputs, given_, file_ + ": shapes", file_ + ": dims");
  }

  // The stated dimensions with the sizes of their symbols.
  ir::Dims with_symbol_sizes(const onnx_proto::ValueInfoProto& input, ir::Dims dims) const {
    const std::vector<std::string> stated = stated_dimensions(input);
    for (size_t i = 0; i < dims.size() && i < stated.size(); ++i) {
      const auto size = symbol_sizes_.find(stated[i]);
      if (dims[i] == ir::Dims::kUnknown && size != symbol_sizes_.end()) dims[i] = size->second;
    }
    return dims;
  }

  void add_input(const onnx_proto::ValueInfoProto& input) {
    if (input.name().empty()) throw Error(file_, "a graph input has no name");
    if (main_.initializers.contains(input.name())) return;  // it has a default, as every weight had until IR version 3
    const std::string where = file_ + ": graph input " + quote(input.name());
    const Form form         = form_of(input, where);
    const bool absent       = given_.absent.contains(input.name());
    if (absent && form == Form::tensor) throw Error(where, "is a tensor, which cannot be absent");
    if (absent && is_optional(form)) {
      main_.values[input.name()] = ValueId::none;
    } else {
      main_.values[input.name()] = is_sequence(form) ? sequence_input(input, where) : tensor_input(input, input.name());
    }
  }

  ValueId sequence_input(const onnx_proto::ValueInfoProto& input, const std::string& where) {
    std::vector<ValueId> elements;
    for (;;) {
      const std::string name = input.name() + "/" + std::to_string(elements.size());
      if (given_for(given_.inputs, name) == nullptr && given_for(given_.shapes, name) == nullptr) break;
      elements.push_back(tensor_input(input, name));
    }
    if (elements.empty() && !given_.absent.contains(input.name()))
      throw Error(where, "is a sequence of a length that is not known; give the shapes of its elements, " +
                             quote(input.name() + "/0") + " and so on");
    return emitter_.sequence(std::move(elements));
  }

  // A parameter of the stated type: an input, or an element of one that is a sequence.
  ValueId tensor_input(const onnx_proto::ValueInfoProto& input, const std::string& name) {
    auto type            = stated_type(input, file_ + ": graph input " + quote(name));
    const Array* numbers = given_for(given_.inputs, name);
    const ir::Dims* dims = numbers != nullptr ? &numbers->dims() : given_for(given_.shapes, name);
    // A program that is written out for some shapes is right for no other ones.
    if (has_subgraphs(main_.graph) && type && dims != nullptr) *type = with_given_shape(*type, *dims, name);
    if (has_subgraphs(main_.graph) && type && type->is_tensor() && type->ranked)
      type->dims = with_symbol_sizes(input, type->dims);
    std::optional<Array> converted;
    if (numbers != nullptr && type && numbers->dtype() != type->dtype)
      numbers = &converted.emplace(as_type(*numbers, type->dtype));
    const ValueId id = emitter_.parameter(text_name(name), ir::ParameterRole::data, type, numbers);
    result_.inputs.push_back({name, emitter_.name(id), stated_dimensions(input)});
    return id;
  }

  ir::Type with_given_shape(const ir::Type& stated, const ir::Dims& dims, const std::string& input) const {
    try {
      return interpret::refined(stated, ir::Type::tensor(stated.dtype, dims));
    } catch (const Error&) {
      throw Error(file_ + ": graph input " + quote(input),
                  "is given the shape " + ir::to_string(dims) + "; the model states " + ir::to_string(stated.dims));
    }
  }

  Array as_type(const Array& numbers, ir::DType dtype) const {
    const std::vector<ir::Type> types{numbers.type()};
    const std::vector<const Array*> known{&numbers};
    const ir::OpDef& cast = emitter_.table().get("Cast", file_);
    const ir::Attributes to{{"to", std::string(ir::name(dtype))}};
    return cast.eval({cast, to, types, known, 1})[0];
  }

  // Constants, which become ops where they are used, and weights, which are parameters.
  void add_initializers(Scope& scope) {
    for (const TensorProto* tensor : scope.initializers.used()) {
      if (auto constant = scope.initializers.constant(*tensor)) {
        scope.constants.emplace(tensor->name(), std::move(*constant));
      } else {
        scope.values[tensor->name()] = weight(scope.initializers, *tensor, scope.where);
      }
    }
  }

  ValueId weight(const Initializers& initializers, const TensorProto& tensor, const std::string& where) {
    const auto known = weights_.find(&tensor);
    if (known != weights_.end()) return known->second;
    const ValueId id = emitter_.parameter(text_name(tensor.name()), ir::ParameterRole::weight,
                                          tensor_type(tensor, where_of(where, tensor)));
    weights_.emplace(&tensor, id);
    if (numbers_ == Numbers::skip) {
      initializers.check_bytes(tensor);
      return id;
    }
    if (auto numbers = initializers.numbers(tensor)) result_.weights.emplace(emitter_.name(id), std::move(*numbers));
    return id;
  }

  // Parameters stand before the first op, so that those of bodies are made before anybody knows which are used.
  void add_inner_weights(const GraphProto& graph, const std::string& where) {
    for (int n = 0; n < graph.node_size(); ++n) {
      for (const auto& [name, body] : subgraphs(graph.node(n))) {
        const std::string inside         = where_of_body(where, graph.node(n), n, name);
        const Initializers& initializers = initializers_of(*body, inside);
        for (const TensorProto* tensor : initializers.used()) {
          if (!initializers.constant(*tensor)) inner_weights_.insert(weight(initializers, *tensor, inside));
        }
        add_inner_weights(*body, inside);
      }
    }
  }

  void add_node(Scope& scope, int n) {
    const NodeProto& proto = scope.graph.node(n);
    Node node;
    node.where         = where_of(scope.where, proto, n);
    node.op            = proto.op_type();
    node.domain        = canonical_domain(proto.domain());
    node.opset         = opsets_.version(node.domain);
    const auto control = node.domain.empty() ? find_control_flow(node.op) : nullptr;
    const auto flow    = control == nullptr ? find_expansion(node.domain, node.op) : control;
    node.attributes = read_attributes(proto, node.where, control == nullptr ? Bodies::refused : Bodies::read_elsewhere);
    node.inputs     = {proto.input().begin(), proto.input().end()};
    node.outputs    = {proto.output().begin(), proto.output().end()};
    check_known(node);
    if (flow == nullptr) normalise_at(scope, node);
    while (!node.inputs.empty() && node.inputs.back().empty() && !node.literals.contains(node.inputs.size() - 1))
      node.inputs.pop_back();
    while (!node.outputs.empty() && node.outputs.back().empty()) node.outputs.pop_back();
    if (node.outputs.empty())
      throw Error(node.where, node.op + " has no outputs; the name of at least one would be right");

    std::vector<ValueId> operands;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const auto literal = node.literals.find(i);
      operands.push_back(literal == node.literals.end() ? use(scope, node.inputs[i])
                                                        : emitter_.constant(literal->second));
    }
    const size_t first = emitter_.values();
    const auto results =
        flow == nullptr ? emit(node, std::move(operands)) : expand(scope, n, node, flow, std::move(operands));
    if (control == nullptr && flow != nullptr) name_results(node, results, first);
    if (results.size() < node.outputs.size())
      throw Error(node.where, "has " + std::to_string(node.outputs.size()) + " results; its bodies give " +
                                  std::to_string(results.size()));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i].empty() && results[i] == ValueId::none)
        throw Error(node.where, node.op + " has no result " + std::to_string(i) + ", " + quote(node.outputs[i]));
      if (!node.outputs[i].empty()) scope.values[proto.output(static_cast<int>(i))] = results[i];
    }
  }

  // What an operator that is several ops results in has the names of the file; values before `first` have theirs.
  void name_results(const Node& node, const std::vector<ValueId>& results, size_t first) {
    for (size_t i = 0; i < std::min(results.size(), node.outputs.size()); ++i) {
      const bool is_sequence = emitter_.elements(results[i]) != nullptr;
      if (!node.outputs[i].empty() && results[i] != ValueId::none && !is_sequence && ir::index(results[i]) >= first)
        emitter_.set_name(results[i], text_name(node.outputs[i]));
    }
  }

  std::vector<ValueId> emit(Node& node, std::vector<ValueId> operands) {
    const bool is_value = operands.size() == 1 && operands[0] != ValueId::none;
    if (node.op == "Identity" && is_value && emitter_.elements(operands[0]) != nullptr) return operands;
    std::vector<std::string> names;
    for (const std::string& output : node.outputs) names.push_back(text_name(output));
    return emitter_.emit(node.where, node.op, std::move(operands), std::move(node.attributes), node.outputs.size(),
                         names);
  }

  std::vector<ValueId> expand(Scope& scope, int n, const Node& node, Expand flow, std::vector<ValueId> operands) {
    const NodeProto& proto = scope.graph.node(n);
    const ControlNode control{emitter_,
                              proto,
                              node.where,
                              node.opset,
                              node.attributes,
                              std::move(operands),
                              [&](std::string_view attribute, std::span<const ValueId> arguments) {
                                return inlined(scope, n, attribute, arguments);
                              }};
    try {
      return flow(control);
    } catch (const PartError& error) {
      throw Error(node.where, error.what());
    }
  }

  std::vector<ValueId> inlined(Scope& outer, int n, std::string_view attribute, std::span<const ValueId> arguments) {
    const NodeProto& proto  = outer.graph.node(n);
    const std::string where = where_of_body(outer.where, proto, n, attribute);
    const GraphProto& body  = subgraph(proto, attribute, where_of(outer.where, proto, n));
    if (static_cast<size_t>(body.input_size()) != arguments.size())
      throw Error(where, "takes " + std::to_string(body.input_size()) + " values; it is given " +
                             std::to_string(arguments.size()));
    Scope scope{body, where, initializers_of(body, where), &outer};
    for (int i = 0; i < body.input_size(); ++i) scope.values[body.input(i).name()] = arguments[static_cast<size_t>(i)];
    add_initializers(scope);
    for (const int inner : order_of(scope)) add_node(scope, inner);
    return results_of(scope);
  }

  const std::vector<int>& order_of(const Scope& scope) {
    const auto [entry, fresh] = orders_.try_emplace(&scope.graph);
    if (fresh)
      entry->second =
          execution_order(scope.graph, scope.where, [&](std::string_view name) { return scope.defines(name); });
    return entry->second;
  }

  // Rules read attributes, which do not know their node when they complain.
  void normalise_at(const Scope& scope, Node& node) const {
    try {
      normalise(node, [&](const std::string& value) { return scope.rank_of(value); });
    } catch (const PartError& error) {
      throw Error(node.where, error.what());
    }
  }

  ValueId use(Scope& scope, std::string_view name) {
    return scope.use(
        name, [&](const Array& constant, std::string_view as) { return emitter_.constant(constant, text_name(as)); });
  }

  std::vector<ValueId> results_of(Scope& scope) {
    std::vector<ValueId> results;
    for (const auto& output : scope.graph.output()) {
      if (!scope.defines(output.name()))
        throw Error(scope.where + ": graph output " + quote(output.name()), "no node defines it");
      results.push_back(use(scope, output.name()));
    }
    return results;
  }

  // A sequence becomes a result for each of its elements: "s/0", "s/1", ..
  void add_output(const onnx_proto::ValueInfoProto& output, ValueId id, std::vector<ValueId>& results) {
    if (const std::vector<ValueId>* elements = emitter_.elements(id)) {
      for (size_t i = 0; i < elements->size(); ++i) {
        result_.outputs.push_back({output.name() + "/" + std::to_string(i), emitter_.name((*elements)[i]), {}});
        results.push_back((*elements)[i]);
      }
      return;
    }
    result_.outputs.push_back({output.name(), emitter_.name(id), stated_dimensions(output)});
    results.push_back(id);
  }

  void finish() {
    const std::vector<ValueId> outputs = results_of(main_);
    std::vector<ValueId> results;
    for (size_t i = 0; i < outputs.size(); ++i)
      add_output(main_.graph.output(static_cast<int>(i)), outputs[i], results);
    result_.opset              = opsets_.version("");
    result_.nodes              = main_.graph.node_size();
    result_.has_control_flow   = has_subgraphs(main_.graph);
    result_.module.source      = file_;
    const ir::Function whole   = emitter_.finish(results);
    const ir::Function& pruned = result_.module.functions.emplace_back(without_unread(whole, inner_weights_));
    for (const ValueId id : inner_weights_) {
      const std::string& name = whole.value(id).name;
      const bool kept         = std::any_of(pruned.values.begin(), pruned.values.end(),
                                            [&](const ir::Value& value) { return value.name == name; });
      if (!kept) result_.weights.erase(name);
    }
    ir::verify(result_.module);
  }

  const std::string& file_;
  Folder folder_;
  Numbers numbers_;
  const Given& given_;
  Opsets opsets_;
  std::deque<Initializers> all_initializers_;
  std::unordered_map<const GraphProto*, const Initializers*> initializers_;
  std::unordered_map<const GraphProto*, std::vector<int>> orders_;
  std::unordered_map<const TensorProto*, ValueId> weights_;
  std::set<ValueId> inner_weights_;
  std::map<std::string, int64_t> symbol_sizes_;
  Emitter emitter_;
  Scope main_;
  Imported result_;
};

Imported import_message(std::string_view bytes, const std::string& file, Folder folder, const ir::OpTable& ops,
                        Numbers numbers, const Given& given) {
  ModelProto model;
  parse_message(bytes, file, "an ONNX model", model);
  if (!model.has_graph()) throw Error(file, "holds no graph; it is not an ONNX model");
  const int nodes = model.graph().node_size();
  if (nodes == 0 && model.graph().output_size() == 0) throw Error(file, "its graph has neither nodes nor outputs");
  inline_functions(model, file);
  Imported imported = Importer(model, file, std::move(folder), ops, numbers, given).run();
  imported.nodes    = nodes;
  return imported;
}

}  // namespace

std::vector<StatedPort> stated_inputs(const std::string& path) {
  ModelProto model;
  parse_message(read_message_file(path), path, "an ONNX model", model);
  std::set<std::string_view> defaults;
  for (const TensorProto& tensor : model.graph().initializer()) defaults.insert(tensor.name());
  std::vector<StatedPort> inputs;
  for (const auto& input : model.graph().input()) {
    if (!defaults.contains(input.name()))
      inputs.push_back({input.name(), form_of(input, path + ": graph input " + quote(input.name()))});
  }
  return inputs;
}

std::vector<StatedPort> stated_outputs(const std::string& path) {
  ModelProto model;
  parse_message(read_message_file(path), path, "an ONNX model", model);
  std::vector<StatedPort> outputs;
  for (const auto& output : model.graph().output())
    outputs.push_back({output.name(), form_of(output, path + ": graph output " + quote(output.name()))});
  return outputs;
}

Imported import_model(const std::string& path, const ir::OpTable& ops, Numbers numbers, const Given& given) {
  return import_message(read_message_file(path), path, std::filesystem::path(path).parent_path(), ops, numbers, given);
}

Imported import_bytes(std::string_view bytes, const std::string& name, const ir::OpTable& ops, Numbers numbers,
                      const Given& given) {
  return import_message(bytes, name, std::nullopt, ops, numbers, given);
}

}  // namespace foreflow::onnx
