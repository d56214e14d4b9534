// Patterns of names, as shells have them.
#pragma once

#include <string_view>

namespace foreflow::platform::zones {

// "*" is any text, "?" any character; every other character is itself.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace foreflow::platform::zones
