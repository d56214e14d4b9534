// Graph inputs and outputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foreflow/ir/type.h"
#include "foreflow/onnx/import.h"
#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// Returns the form of the value: a tensor, a sequence of tensors, or one of the two that may be absent. Throws Error
// for maps, sparse tensors, and sequences of sequences.
Form form_of(const onnx_proto::ValueInfoProto& value, const std::string& where);

// The stated type of a tensor or of the elements of a sequence; nothing if the file states none. Dimensions that the
// file names or omits are unknown. Throws Error for other values, and for data types that Foreflow lacks.
std::optional<ir::Type> stated_type(const onnx_proto::ValueInfoProto& value, const std::string& where);

// The dimensions as the file states them: "batch", "768", "?".
std::vector<std::string> stated_dimensions(const onnx_proto::ValueInfoProto& value);

}  // namespace foreflow::onnx
