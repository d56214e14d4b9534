// The initializers of a graph, which become either constants or weights of the program.
#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "foreflow/ir/array.h"
#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

class Initializers {
 public:
  // Keeps references into `graph`. External tensors are in `folder`; if there is none, their elements are not known.
  // Throws Error for a tensor without a name or with a name that is taken.
  Initializers(const onnx_proto::GraphProto& graph, std::string file, std::optional<std::filesystem::path> folder);

  bool contains(std::string_view name) const { return by_name_.contains(name); }
  // Null when there is none.
  const onnx_proto::TensorProto* find(std::string_view name) const;
  // The elements of the tensor; nothing if they are in a file that does not exist.
  std::optional<ir::Array> numbers(const onnx_proto::TensorProto& tensor) const;
  // Throws Error if the size of the tensor's data, if present, does not match its dimensions.
  void check_bytes(const onnx_proto::TensorProto& tensor) const;
  // The elements of a small tensor on which shapes may depend: integers, booleans, single numbers, and the scales of
  // Resize. Nothing for all other tensors, which are weights.
  std::optional<ir::Array> constant(const onnx_proto::TensorProto& tensor) const;
  // The tensors that nodes or the results of the graph read, in the order of the file.
  const std::vector<const onnx_proto::TensorProto*>& used() const { return used_; }

 private:
  void add_scales(const onnx_proto::GraphProto& graph);

  std::string file_;
  std::optional<std::filesystem::path> folder_;
  std::unordered_map<std::string_view, const onnx_proto::TensorProto*> by_name_;
  std::deque<onnx_proto::TensorProto> dense_;  // the sparse tensors with their zeros filled in
  std::set<std::string_view> scales_;          // operands of Resize: shapes depend on them although they are floats
  std::vector<const onnx_proto::TensorProto*> used_;
};

// "model.onnx: initializer \"w\"".
std::string where_of(const std::string& file, const onnx_proto::TensorProto& tensor);

}  // namespace foreflow::onnx
