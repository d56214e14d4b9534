// Tensors with their numbers in files: ONNX's TensorProto, one message a file ("input_0.pb").
#pragma once

#include <string>
#include <string_view>

#include "foreflow/ir/array.h"

namespace foreflow::onnx {

struct NamedArray {
  std::string name;  // as the file states it; often empty
  ir::Array array;
};

// Throws Error naming the file when it is unreadable, malformed, or holds a data type without an ir::DType.
NamedArray read_tensor_file(const std::string& path);
NamedArray parse_tensor(std::string_view bytes, const std::string& name);

// `array` as BFloat16 where it holds UInt16 and `wanted` is BFloat16, else as it is: numpy has no such type, so ONNX's
// own test data keeps the bits of BFLOAT16 numbers as UINT16.
ir::Array as_wanted(const ir::Array& array, ir::DType wanted);

// The array as a TensorProto with little-endian raw data. A tuple has no such form: Error.
std::string print_tensor(const NamedArray& tensor);
void write_tensor_file(const std::string& path, const NamedArray& tensor);

}  // namespace foreflow::onnx
