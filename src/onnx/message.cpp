#include "onnx/message.h"

namespace foreflow::onnx {

std::string quote(std::string_view name) {
  constexpr size_t kLongest = 100;
  std::string text          = "\"";
  for (const char c : name.substr(0, kLongest)) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return text + (name.size() > kLongest ? "...\"" : "\"");
}

}  // namespace foreflow::onnx
