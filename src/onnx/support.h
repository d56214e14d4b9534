// Which operators a model asks for, in which version, and whether the op table has them.
#pragma once

#include <map>
#include <string>

#include "foreflow/ir/op_def.h"
#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// "" for ONNX's own operators, however the file writes it.
std::string canonical_domain(const std::string& domain);

class Opsets {
 public:
  // Error when the model does not say which version of ONNX's own operators it uses.
  Opsets(const onnx_proto::ModelProto& model, const std::string& file);
  // 1 for a domain that the model does not import.
  int64_t version(const std::string& domain) const;

 private:
  std::map<std::string, int64_t> versions_;
};

// Error naming the first node whose op `ops` lacks, and how many further ones there are.
void check_supported(const onnx_proto::GraphProto& graph, const Opsets& opsets, const ir::OpTable& ops,
                     const std::string& file);

}  // namespace foreflow::onnx
