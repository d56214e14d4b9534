// Reads bytes as characters of UTF-8 (RFC 3629). A byte that belongs to none is a character that is not valid.
#pragma once

#include <cstdint>
#include <string_view>

namespace foreflow::utf8 {

struct Character {
  uint32_t code;  // Unicode's number; of a byte that is part of no character, the byte
  size_t size;    // in bytes, 1 to 4
  bool valid;
};

// The character that begins at `at`, which lies inside the text. Overlong forms, surrogates and numbers beyond U+10FFFF
// are no characters: their first byte is one that is not valid.
Character character_at(std::string_view text, size_t at);

// True when a terminal or viewer shows the character and does not interpret it (see foreflow/base/escape.h).
bool is_printable(const Character& character);

}  // namespace foreflow::utf8
