#include <fcntl.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>

#include <climits>

#include "foreflow/onnx/import.h"
#include "onnx/known_attributes.h"
#include "onnx/message.h"
#include "onnx/support.h"

namespace foreflow::onnx {
namespace {

using google::protobuf::internal::WireFormatLite;

constexpr int kOpsetImport = 8;  // the field of ModelProto

// The version of ONNX's own operators that the file imports; 0 if there is none, or if the file is no model. What is
// not an import of operators is skipped, so that weights are not read.
int64_t opset_of(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  google::protobuf::io::FileInputStream stream(file);
  stream.SetCloseOnDelete(true);
  google::protobuf::io::CodedInputStream input(&stream);
  input.SetTotalBytesLimit(INT_MAX);
  int64_t opset = 0;
  while (const uint32_t tag = input.ReadTag()) {
    if (tag != WireFormatLite::MakeTag(kOpsetImport, WireFormatLite::WIRETYPE_LENGTH_DELIMITED)) {
      if (!WireFormatLite::SkipField(&input, tag)) return 0;
      continue;
    }
    uint32_t size = 0;
    std::string bytes;
    onnx_proto::OperatorSetIdProto import;
    if (!input.ReadVarint32(&size) || !input.ReadString(&bytes, static_cast<int>(size)) ||
        !import.ParseFromString(bytes))
      return 0;
    if (canonical_domain(import.domain()).empty()) opset = import.version();
  }
  return opset;
}

}  // namespace

std::string opset_remark(const std::string& path) {
  const int64_t opset = opset_of(path);
  if (opset <= kNewestOpset) return "";
  return path + ": imports opset " + std::to_string(opset) + "; operators are read as those of opset " +
         std::to_string(kNewestOpset) + ", the newest that is known, in which some may mean something else";
}

}  // namespace foreflow::onnx
