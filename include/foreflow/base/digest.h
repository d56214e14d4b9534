// Digests: a short name for bytes that no other bytes have.
#pragma once

#include <string>
#include <string_view>

namespace foreflow {

// SHA-256 (FIPS 180-4) as 64 hexadecimal digits, what the command sha256sum prints.
std::string sha256(std::string_view bytes);

}  // namespace foreflow
