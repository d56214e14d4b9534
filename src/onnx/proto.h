// Bytes <-> protobuf messages, with complaints that people understand.
#pragma once

#include <string>
#include <string_view>

#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// The file's bytes; Error when it is unreadable, empty, or larger than the 2 GiB that protobuf can hold.
std::string read_message_file(const std::string& path);

// Parses `bytes` into `message`; Error at `where` when they are empty or not a whole message. `kind`: "an ONNX model".
void parse_message(std::string_view bytes, const std::string& where, const std::string& kind,
                   google::protobuf::MessageLite& message);

// The same bytes on every run and machine.
std::string print_message(const google::protobuf::MessageLite& message);

}  // namespace foreflow::onnx
