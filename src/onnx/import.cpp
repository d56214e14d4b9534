#include "foreflow/onnx/import.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "foreflow/ir/text.h"
#include "onnx/block_scales.h"
#include "onnx/expansion.h"
#include "onnx/functions.h"
#include "onnx/graph_inputs.h"
#include "onnx/graph_nodes.h"
#include "onnx/message.h"
#include "onnx/names.h"
#include "onnx/order.h"
#include "onnx/port.h"
#include "onnx/proto.h"
#include "onnx/prune.h"
#include "onnx/subgraphs.h"
#include "onnx/support.h"

namespace foreflow::onnx {
namespace {

using ir::ValueId;
using onnx_proto::GraphProto;
using onnx_proto::ModelProto;
using onnx_proto::TensorProto;
using Elements = std::map<std::string, ir::Array>;  // of weights, by name in the program
using Folder   = std::optional<std::filesystem::path>;

std::string function_name(const GraphProto& graph) { return graph.name().empty() ? "main" : text_name(graph.name()); }

Emitter emitter_of(const GraphProto& graph, const ir::OpTable& ops) {
  const bool follows = has_subgraphs(graph) || has_expansions(graph);
  return {function_name(graph), ops, follows ? Emitter::Follow::results : Emitter::Follow::nothing};
}

struct Results {
  std::vector<Port> ports;
  std::vector<ValueId> values;
};

// The results of the program that the outputs of a graph, of these values, become: a sequence a result for each of its
// elements, "s/0", "s/1", ..
Results results_of(const GraphProto& graph, const std::vector<ValueId>& outputs, const Emitter& emitter) {
  Results results;
  for (size_t o = 0; o < outputs.size(); ++o) {
    const auto& output = graph.output(static_cast<int>(o));
    const auto add     = [&](const std::string& name, ValueId id, std::vector<std::string> dimensions) {
      results.ports.push_back({name, emitter.name(id), std::move(dimensions)});
      results.values.push_back(id);
    };
    const std::vector<ValueId>* elements = emitter.elements(outputs[o]);
    if (elements == nullptr) add(output.name(), outputs[o], stated_dimensions(output));
    for (size_t i = 0; elements != nullptr && i < elements->size(); ++i)
      add(output.name() + "/" + std::to_string(i), (*elements)[i], {});
  }
  return results;
}

// The elements of those weights that the function has.
Elements elements_in(const ir::Function& function, Elements elements) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < function.parameters.size(); ++i) names.insert(function.values[i].name);
  std::erase_if(elements, [&](const auto& entry) { return !names.contains(entry.first); });
  return elements;
}

Imported import_graph(const ModelProto& model, const std::string& file, Folder folder, const ir::OpTable& ops,
                      Numbers numbers, const Given& given) {
  const GraphProto& graph = model.graph();
  const Opsets opsets(model, file);
  Emitter emitter = emitter_of(graph, ops);
  GraphWeights weights(std::move(folder), numbers, emitter);
  GraphNodes nodes(opsets, weights, emitter);
  Scope main{graph, file, weights.initializers_of(graph, file)};
  check_supported(graph, opsets, ops, file);
  const std::vector<int> order = execution_order(graph, file);

  Imported imported;
  imported.inputs = add_inputs(main, file, given, emitter);
  weights.define(main);
  weights.add_inner(graph, file);
  nodes.write(main, order);
  Results results           = results_of(graph, nodes.results_of(main), emitter);
  imported.outputs          = std::move(results.ports);
  imported.opset            = opsets.version("");
  imported.has_control_flow = has_subgraphs(graph);
  imported.module.source    = file;
  imported.module.functions.push_back(without_unread(emitter.finish(std::move(results.values)), weights.inner()));
  imported.weights = elements_in(imported.module.entry(), weights.take_elements());
  ir::verify(imported.module);
  return imported;
}

Imported import_message(std::string_view bytes, const std::string& file, Folder folder, const ir::OpTable& ops,
                        Numbers numbers, const Given& given) {
  ModelProto model;
  parse_message(bytes, file, "an ONNX model", model);
  if (!model.has_graph()) throw Error(file, "holds no graph; it is not an ONNX model");
  const int nodes = model.graph().node_size();
  if (nodes == 0 && model.graph().output_size() == 0) throw Error(file, "its graph has neither nodes nor outputs");
  inline_functions(model, file);
  restate_block_scales(*model.mutable_graph());
  Imported imported = import_graph(model, file, std::move(folder), ops, numbers, given);
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
