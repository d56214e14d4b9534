// Digests: short names for byte strings, different for different bytes.
#pragma once

#include <string>
#include <string_view>

namespace foreflow {

// SHA-256 (FIPS 180-4) as 64 hexadecimal digits, as the command sha256sum prints it.
std::string sha256(std::string_view bytes);

}  // namespace foreflow
