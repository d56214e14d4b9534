// Reads and writes protobuf messages, with readable errors.
#pragma once

#include <string>
#include <string_view>

#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// The bytes of the file. Throws Error if it is unreadable, empty, or larger than the 2 GiB that protobuf supports.
std::string read_message_file(const std::string& path);

// Parses `bytes` into `message`. Throws Error at `where` if they are empty or not a complete message. `kind` names what
// is expected: "an ONNX model".
void parse_message(std::string_view bytes, const std::string& where, const std::string& kind,
                   google::protobuf::MessageLite& message);

// Serializes deterministically: the same bytes in every run and on every machine.
std::string print_message(const google::protobuf::MessageLite& message);

}  // namespace foreflow::onnx
