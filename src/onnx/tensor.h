// TensorProto <-> Array.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "foreflow/ir/array.h"
#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// The tensor's type, checked: a data type that Foreflow has, dimensions that are not negative and can be counted.
ir::Type tensor_type(const onnx_proto::TensorProto& tensor, const std::string& where);

// Throws Error at `where` unless the message itself holds exactly as many bytes or numbers as the dimensions say.
void check_count(const onnx_proto::TensorProto& tensor, const std::string& where);

bool is_external(const onnx_proto::TensorProto& tensor);

// The numbers inside the message. Error at `where` when there are not exactly as many as the dimensions say.
ir::Array to_array(const onnx_proto::TensorProto& tensor, const std::string& where);

// The numbers of an external tensor from the file in `folder`; nothing when that file does not exist. Error when the
// file is too short or lies outside the folder.
std::optional<ir::Array> read_external(const onnx_proto::TensorProto& tensor, const std::filesystem::path& folder,
                                       const std::string& where);

// The same checks, without reading a number. Without a folder, those of the message alone.
void check_external(const onnx_proto::TensorProto& tensor, const std::optional<std::filesystem::path>& folder,
                    const std::string& where);

// A sparse tensor with its zeros filled in.
ir::Array to_dense(const onnx_proto::SparseTensorProto& sparse, const std::string& where);

void set_tensor(onnx_proto::TensorProto& tensor, const ir::Array& array);

}  // namespace foreflow::onnx
