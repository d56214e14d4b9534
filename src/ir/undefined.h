// Explains why a value that a program uses is not defined.
#pragma once

#include <string>
#include <string_view>

namespace foreflow::ir {

// The message about %name, which the text of @function uses before its definition. It says one of the following:
//
//   1. the definitions form a cycle (with the cycle);
//   2. the value is defined further down (with the place);
//   3. the value is not defined at all.
std::string explain_undefined(std::string_view text, std::string_view function, std::string_view name);

}  // namespace foreflow::ir
