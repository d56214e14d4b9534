// Graph inputs and outputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foreflow/ir/type.h"
#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// The stated type, with unknown dimensions where the file names them or leaves them out; nothing when it states none.
// Error for what is not a tensor and for data types that Foreflow does not have.
std::optional<ir::Type> stated_type(const onnx_proto::ValueInfoProto& value, const std::string& where);

// "batch", "768", "?".
std::vector<std::string> stated_dimensions(const onnx_proto::ValueInfoProto& value);

}  // namespace foreflow::onnx
