// Quotes names from files, which may contain any bytes, in messages.
#pragma once

#include <string>
#include <string_view>

namespace foreflow::onnx {

// The name in quotes, on one line: escaped as by escape::terminal, and truncated if it is long.
std::string quote(std::string_view name);

}  // namespace foreflow::onnx
