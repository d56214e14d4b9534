// Graph inputs and outputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foreflow/ir/type.h"
#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// The stated type; nothing if the file states none. Dimensions that the file names or omits are unknown. Throws Error
// for a type that is not a tensor, and for data types that Foreflow lacks.
std::optional<ir::Type> stated_type(const onnx_proto::ValueInfoProto& value, const std::string& where);

// The dimensions as the file states them: "batch", "768", "?".
std::vector<std::string> stated_dimensions(const onnx_proto::ValueInfoProto& value);

}  // namespace foreflow::onnx
