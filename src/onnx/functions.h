// Functions that a model defines itself (IR version 8 and later).
#pragma once

#include <string>

#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// Replaces each node that calls a function of the model by the nodes of that function. Values inside are named after
// the first result of the call: "y/hidden". Throws Error naming the call for a function that calls itself, or whose
// opset differs from that of the model.
void inline_functions(onnx_proto::ModelProto& model, const std::string& file);

}  // namespace foreflow::onnx
