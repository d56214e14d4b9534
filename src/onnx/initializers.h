// The tensors that a graph carries: which become constants of the program and which become its weights.
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
  // Error for tensors without a name or with one that is taken. Keeps references into `graph`. External tensors lie in
  // `folder`; without one, they have no numbers.
  Initializers(const onnx_proto::GraphProto& graph, std::string file, std::optional<std::filesystem::path> folder);

  bool contains(std::string_view name) const { return by_name_.contains(name); }
  // Null when there is none.
  const onnx_proto::TensorProto* find(std::string_view name) const;
  // The tensor's numbers; nothing when they are in a file that is not there.
  std::optional<ir::Array> numbers(const onnx_proto::TensorProto& tensor) const;
  // Throws Error unless the tensor's bytes, where they are there, are as many as its dimensions say.
  void check_bytes(const onnx_proto::TensorProto& tensor) const;
  // The numbers of a tensor that shapes may depend on and that is small: integers, booleans, single numbers, scales.
  // Nothing for all others, which are weights.
  std::optional<ir::Array> constant(const onnx_proto::TensorProto& tensor) const;
  // Those that a node or the graph's results read, in the order of the file.
  const std::vector<const onnx_proto::TensorProto*>& used() const { return used_; }

 private:
  void add_scales(const onnx_proto::GraphProto& graph);

  std::string file_;
  std::optional<std::filesystem::path> folder_;
  std::unordered_map<std::string_view, const onnx_proto::TensorProto*> by_name_;
  std::deque<onnx_proto::TensorProto> dense_;  // what the sparse ones are with their zeros
  std::set<std::string_view> scales_;          // operands of Resize, which shapes depend on although they are floats
  std::vector<const onnx_proto::TensorProto*> used_;
};

// "model.onnx: initializer \"w\"".
std::string where_of(const std::string& file, const onnx_proto::TensorProto& tensor);

}  // namespace foreflow::onnx
