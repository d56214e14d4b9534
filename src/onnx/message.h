// Pieces of messages about names that come from files, which may hold anything.
#pragma once

#include <string>
#include <string_view>

namespace foreflow::onnx {

// The name in quotes on one line: as escape::terminal writes it, long names cut.
std::string quote(std::string_view name);

}  // namespace foreflow::onnx
