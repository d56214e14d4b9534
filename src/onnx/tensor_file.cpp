#include "foreflow/onnx/tensor_file.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

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

// onnx-data.proto: name 1, elem_type 2, a tensor 3, a sequence 5. The fields of SequenceProto and of OptionalProto that
// hold them have the same numbers.
std::vector<ir::Array> parse_sequence(std::string_view bytes, const std::string& name) {
  using google::protobuf::internal::WireFormatLite;
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const uint8_t*>(bytes.data()),
                                               static_cast<int>(bytes.size()));
  std::vector<ir::Array> tensors;
  while (const uint32_t tag = input.ReadTag()) {
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    if ((field != 3 && field != 5) ||
        WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&input, tag)) throw Error(name, "is no ONNX sequence, or only a part of one");
      continue;
    }
    uint32_t size = 0;
    std::string part;
    if (!input.ReadVarint32(&size) || !input.ReadString(&part, static_cast<int>(size)))
      throw Error(name, "is no ONNX sequence, or only a part of one");
    if (field == 3) {
      tensors.push_back(parse_tensor(part, name).array);
    } else {
      for (ir::Array& tensor : parse_sequence(part, name)) tensors.push_back(std::move(tensor));
    }
  }
  return tensors;
}

std::vector<ir::Array> read_sequence_file(const std::string& path) {
  return parse_sequence(read_message_file(path), path);
}

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
