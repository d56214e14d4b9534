// Files of tensors: one ONNX TensorProto message per file ("input_0.pb").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/ir/array.h"

namespace foreflow::onnx {

struct NamedArray {
  std::string name;  // from the file; often empty
  ir::Array array;
};

// Both throw Error with the name of the file if it is unreadable or malformed, or has a data type without an ir::DType.
NamedArray read_tensor_file(const std::string& path);
NamedArray parse_tensor(std::string_view bytes, const std::string& name);

// The tensors of a file that holds a SequenceProto or an OptionalProto ("input_0.pb" of a model's test data), in order;
// none if it is empty. Throws Error as read_tensor_file does.
std::vector<ir::Array> read_sequence_file(const std::string& path);
std::vector<ir::Array> parse_sequence(std::string_view bytes, const std::string& name);

// Reinterprets a UInt16 array as BFloat16 if that is `wanted`; returns any other array unchanged. numpy has no
// BFloat16, so ONNX's own test data stores the bits of BFLOAT16 numbers as UINT16.
ir::Array as_wanted(const ir::Array& array, ir::DType wanted);

// The bytes of a TensorProto with little-endian raw data. Throws Error for a tuple.
std::string print_tensor(const NamedArray& tensor);
void write_tensor_file(const std::string& path, const NamedArray& tensor);

}  // namespace foreflow::onnx
