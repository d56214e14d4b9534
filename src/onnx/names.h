// Converts names of an ONNX file to names of a program.
#pragma once

#include <string>
#include <string_view>

namespace foreflow::onnx {

// Replaces every character that the text form does not allow by '_', and avoids comments ("//Add" becomes "_/Add") and
// the names of unnamed values ("v7"). Different names may become equal; the builder then adds a number.
std::string text_name(std::string_view name);

}  // namespace foreflow::onnx
