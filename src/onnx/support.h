// The operators that a model uses: their versions, and whether the op table supports them.
#pragma once

#include <map>
#include <string>

#include "foreflow/ir/op_def.h"
#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// Normalizes the name of a domain: "" for ONNX's own operators, in whichever way the file writes it.
std::string canonical_domain(const std::string& domain);

class Opsets {
 public:
  // Throws Error if the model does not state the version of ONNX's own operators.
  Opsets(const onnx_proto::ModelProto& model, const std::string& file);
  // 1 for a domain that the model does not import.
  int64_t version(const std::string& domain) const;

 private:
  std::map<std::string, int64_t> versions_;
};

// Throws Error naming the first node whose op is not in `ops`, and the number of further such nodes.
void check_supported(const onnx_proto::GraphProto& graph, const Opsets& opsets, const ir::OpTable& ops,
                     const std::string& file);

}  // namespace foreflow::onnx
