// Why a value that a program uses is not there.
#pragma once

#include <string>
#include <string_view>

namespace foreflow::ir {

// What to say of %name, which the text of @function uses where it is not yet defined: that the definitions form a
// cycle, and which; that it is defined further down, and where; or that nothing defines it.
std::string explain_undefined(std::string_view text, std::string_view function, std::string_view name);

}  // namespace foreflow::ir
