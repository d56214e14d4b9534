#include "onnx/names.h"

#include <cctype>

#include "foreflow/base/error.h"
#include "foreflow/ir/names.h"

namespace foreflow::onnx {
namespace {

bool plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/' || c == '-';
}

}  // namespace

std::string text_name(std::string_view name) {
  std::string text(name);
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && text[end] == ':') ++end;
    const bool inner_colons = end - i >= 2 && end < text.size() && plain(text[end]);  // onnx::MatMul_499
    if (inner_colons) {
      i = end;
    } else {
      if (!plain(text[i])) text[i] = '_';
      ++i;
    }
  }
  if (text.starts_with("//")) text.front() = '_';
  const bool own_number =
      text.size() > 1 && text.starts_with('v') && text.find_first_not_of("0123456789", 1) == text.npos;
  if (own_number) text += '_';
  FOREFLOW_CHECK(text.empty() || ir::is_name(text), "the text form takes the names of imported values and graphs");
  return text;
}

}  // namespace foreflow::onnx
