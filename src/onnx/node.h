// A node of the graph, in the form on which the rules for old opsets work.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "foreflow/ir/attributes.h"
#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

struct Node {
  std::string where;   // for messages
  std::string op;      // canonical op name; the file's to begin with
  std::string domain;  // "" for ONNX's own
  int64_t opset = 0;   // of the domain
  ir::Attributes attributes;
  std::vector<std::string> inputs;  // names in the file; "": absent
  std::vector<std::string> outputs;
  std::map<size_t, ir::Array> literals;  // operands that old opsets have as attributes; their entry in `inputs` is ""
};

// "model.onnx: node 17 \"Attn_0\"".
std::string where_of(const std::string& file, const onnx_proto::NodeProto& node, int index);
// Takes the place of the file name in messages about a body: "model.onnx: node 17 \"Loop_0\": body".
std::string where_of_body(const std::string& file, const onnx_proto::NodeProto& node, int index, std::string_view body);

// The attributes as the file states them. Throws Error at `where` for an attribute that is a type or is malformed, and,
// with Bodies::refused, for one that is a graph.
enum class Bodies : uint8_t { refused, read_elsewhere };
ir::Attributes read_attributes(const onnx_proto::NodeProto& node, const std::string& where,
                               Bodies bodies = Bodies::refused);

}  // namespace foreflow::onnx
