// Names in the file -> names in `.distir` text.
#pragma once

#include <string>
#include <string_view>

namespace foreflow::onnx {

// The name with every character that the text form cannot hold replaced by '_', and never the name of an unnamed value
// (v7). Different names may become the same; the builder tells them apart by a number.
std::string text_name(std::string_view name);

}  // namespace foreflow::onnx
