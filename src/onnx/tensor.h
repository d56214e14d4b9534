// Converts between TensorProto and Array.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "foreflow/ir/array.h"
#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// The type of the tensor. Throws Error at `where` if Foreflow lacks the data type, or if a dimension is negative or the
// shape is not countable (ir/countable.h).
ir::Type tensor_type(const onnx_proto::TensorProto& tensor, const std::string& where);

// Throws Error at `where` if the amount of data in the message does not match the dimensions.
void check_count(const onnx_proto::TensorProto& tensor, const std::string& where);

// Bytes of `count` elements in raw data and external files, where two of 4 bits share one.
int64_t stored_bytes(ir::DType dtype, int64_t count);

// Fills an array from its raw data, `stored_bytes` of them.
void set_raw(ir::Array& array, std::span<const char> raw);

bool is_external(const onnx_proto::TensorProto& tensor);

// The elements in the message. Throws Error at `where` if their number does not match the dimensions.
ir::Array to_array(const onnx_proto::TensorProto& tensor, const std::string& where);

// The elements of an external tensor, from its file in `folder`; nothing if the file does not exist. Throws Error if
// the file is too short or lies outside of the folder.
std::optional<ir::Array> read_external(const onnx_proto::TensorProto& tensor, const std::filesystem::path& folder,
                                       const std::string& where);

// The checks of read_external, without reading elements. If there is no folder, only the message is checked.
void check_external(const onnx_proto::TensorProto& tensor, const std::optional<std::filesystem::path>& folder,
                    const std::string& where);

// A sparse tensor with its zeros filled in.
ir::Array to_dense(const onnx_proto::SparseTensorProto& sparse, const std::string& where);

void set_tensor(onnx_proto::TensorProto& tensor, const ir::Array& array);

}  // namespace foreflow::onnx
