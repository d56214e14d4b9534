#include "onnx/proto.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <climits>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"

namespace foreflow::onnx {
namespace {

const ReadLimit& message_limit() {
  static const ReadLimit kLimit{
      INT_MAX, "is larger than 2 GiB, protobuf's limit; save the model with its weights as external data"};
  return kLimit;
}

}  // namespace

std::string read_message_file(const std::string& path) { return read_file(path, message_limit()); }

void parse_message(std::string_view bytes, const std::string& where, const std::string& kind,
                   google::protobuf::MessageLite& message) {
  if (bytes.empty()) throw Error(where, "is empty; expected " + kind);
  if (bytes.size() > message_limit().bytes) throw Error(where, message_limit().problem);
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream input(&stream);
  input.SetTotalBytesLimit(INT_MAX);
  if (!message.ParseFromCodedStream(&input) || !input.ConsumedEntireMessage()) {
    throw Error(where, "is not " + kind + ", or only a part of one");
  }
}

std::string print_message(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream output(&stream);
  output.SetSerializationDeterministic(true);
  FOREFLOW_CHECK(message.SerializeToCodedStream(&output), "a message that was just built can be written");
  output.Trim();
  return bytes;
}

}  // namespace foreflow::onnx
