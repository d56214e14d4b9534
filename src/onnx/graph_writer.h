// Writes ONNX graphs node by node. A value is named after the node that computes it: "Gather_26_out".
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "foreflow/ir/array.h"
#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// A dimension in the type of a graph input or output: a number or a name.
using Dimension = std::variant<int64_t, std::string>;

class GraphWriter {
 public:
  using Attribute = std::pair<std::string, std::variant<int64_t, float, std::vector<int64_t>, ir::Array>>;

  GraphWriter(const std::string& name, int64_t opset);

  // Appends a node with one result.
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<Attribute>& attributes = {});
  std::vector<std::string> node(const std::string& op, const std::vector<std::string>& inputs,
                                const std::vector<Attribute>& attributes, size_t outputs);
  // A Constant node.
  std::string constant(const ir::Array& value);
  // An initializer with its elements.
  std::string literal(const ir::Array& value);
  // A float initializer whose elements are in another file.
  std::string weight(const std::string& name, const std::vector<int64_t>& dims);

  std::string input(const std::string& name, ir::DType dtype, const std::vector<Dimension>& dims);
  void output(const std::string& name, ir::DType dtype, const std::vector<Dimension>& dims);

  // The bytes of the file.
  std::string finish() const;

 private:
  onnx_proto::ModelProto model_;
  onnx_proto::GraphProto& graph_;
  int literals_ = 0;
};

}  // namespace foreflow::onnx
