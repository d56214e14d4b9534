#include "onnx/message.h"

#include "foreflow/base/escape.h"

namespace foreflow::onnx {

std::string quote(std::string_view name) {
  constexpr size_t kLongest = 100;
  const std::string text    = escape::terminal(name.substr(0, kLongest));
  return "\"" + text + (name.size() > kLongest ? "...\"" : "\"");
}

}  // namespace foreflow::onnx
