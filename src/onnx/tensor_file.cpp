#include "foreflow/onnx/tensor_file.h"

#include "foreflow/base/text.h"
#include "onnx/proto.h"
#include "onnx/tensor.h"

namespace foreflow::onnx {

NamedArray parse_tensor(std::string_view bytes, const std::string& name) {
  onnx_proto::TensorProto tensor;
  parse_message(bytes, name, "an ONNX tensor", tensor);
  if (!tensor.has_data_type()) throw Error(name, "is not an ONNX tensor: it states no data type");
  return {tensor.name(), to_array(tensor, name)};
}

NamedArray read_tensor_file(const std::string& path) { return parse_tensor(read_message_file(path), path); }

ir::Array as_wanted(const ir::Array& array, ir::DType wanted) {
  if (array.is_tuple() || array.dtype() != ir::DType::u16 || wanted != ir::DType::bf16) return array;
  return ir::Array::of<uint16_t>(ir::DType::bf16, array.dims(), array.data<uint16_t>());
}

std::string print_tensor(const NamedArray& tensor) {
  if (tensor.array.is_tuple()) throw Error(tensor.name, "is a tuple; an ONNX tensor file holds one tensor");
  onnx_proto::TensorProto message;
  set_tensor(message, tensor.array);
  if (!tensor.name.empty()) message.set_name(tensor.name);
  return print_message(message);
}

void write_tensor_file(const std::string& path, const NamedArray& tensor) { write_file(path, print_tensor(tensor)); }

}  // namespace foreflow::onnx
