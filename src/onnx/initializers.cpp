#include "onnx/initializers.h"

#include <unordered_set>

#include "onnx/message.h"
#include "onnx/subgraphs.h"
#include "onnx/tensor.h"

namespace foreflow::onnx {

using onnx_proto::GraphProto;
using onnx_proto::TensorProto;

std::string where_of(const std::string& file, const TensorProto& tensor) {
  return file + ": initializer " + quote(tensor.name());
}

Initializers::Initializers(const GraphProto& graph, std::string file, std::optional<std::filesystem::path> folder)
    : file_(std::move(file)), folder_(std::move(folder)) {
  for (const auto& sparse : graph.sparse_initializer()) {
    TensorProto& dense = dense_.emplace_back();
    set_tensor(dense, to_dense(sparse, where_of(file_, sparse.values())));
    dense.set_name(sparse.values().name());
  }
  std::vector<const TensorProto*> all;
  for (const TensorProto& tensor : graph.initializer()) all.push_back(&tensor);
  for (const TensorProto& tensor : dense_) all.push_back(&tensor);
  for (const TensorProto* tensor : all) {
    if (tensor->name().empty()) throw Error(file_, "an initializer has no name");
    if (!by_name_.emplace(tensor->name(), tensor).second)
      throw Error(where_of(file_, *tensor), "stands twice in the file");
  }

  std::unordered_set<std::string_view> read;
  for (const auto& node : graph.node()) {
    const auto names = reads_of(node);
    read.insert(names.begin(), names.end());
  }
  add_scales(graph);
  for (const auto& output : graph.output()) read.insert(output.name());
  for (const TensorProto* tensor : all) {
    if (read.contains(tensor->name())) used_.push_back(tensor);
  }
}

void Initializers::add_scales(const GraphProto& graph) {
  for (const auto& node : graph.node()) {
    if (node.op_type() == "Resize" || node.op_type() == "Upsample")
      scales_.insert(node.input().begin(), node.input().end());
    for (const auto& [name, body] : subgraphs(node)) add_scales(*body);
  }
}

const TensorProto* Initializers::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::optional<ir::Array> Initializers::numbers(const TensorProto& tensor) const {
  const std::string where = where_of(file_, tensor);
  if (!is_external(tensor)) return to_array(tensor, where);
  return folder_ ? read_external(tensor, *folder_, where) : std::nullopt;
}

void Initializers::check_bytes(const TensorProto& tensor) const {
  const std::string where = where_of(file_, tensor);
  is_external(tensor) ? check_external(tensor, folder_, where) : check_count(tensor, where);
}

std::optional<ir::Array> Initializers::constant(const TensorProto& tensor) const {
  constexpr int64_t kLargest = 64;
  const ir::Type type        = tensor_type(tensor, where_of(file_, tensor));
  const int64_t count        = ir::element_count(type.dims);
  const bool shapes          = !ir::is_float(type.dtype) || count == 1 || scales_.contains(tensor.name());
  return shapes && count <= kLargest ? numbers(tensor) : std::nullopt;
}

}  // namespace foreflow::onnx
