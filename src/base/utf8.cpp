#include "base/utf8.h"

#include <algorithm>
#include <array>

namespace foreflow::utf8 {
namespace {

struct Range {
  uint32_t first, last;
};

// Controls, separators of lines, and the format characters that change how their neighbours appear.
constexpr std::array<Range, 10> kUnprintable = {{{0x00, 0x1f},
                                                 {0x7f, 0x9f},
                                                 {0x061c, 0x061c},      // Arabic letter mark
                                                 {0x200e, 0x200f},      // left-to-right and right-to-left mark
                                                 {0x2028, 0x202e},      // separators; embeddings and overrides
                                                 {0x2060, 0x206f},      // invisible operators; isolates
                                                 {0xfeff, 0xfeff},      // byte order mark
                                                 {0xfff9, 0xfffb},      // interlinear annotation
                                                 {0xfffe, 0xffff},      // no characters
                                                 {0xe0000, 0xe0fff}}};  // tags

// Bytes of the character that a first byte begins; 0: none does.
size_t size_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

bool is_smallest_form(uint32_t code, size_t size) {
  constexpr std::array<uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  return code >= kLeast[size];
}

}  // namespace

Character character_at(std::string_view text, size_t at) {
  const auto byte        = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const Character broken = {byte(0), 1, false};
  const size_t size      = size_of(byte(0));
  if (size == 0 || at + size > text.size()) return broken;
  if (size == 1) return {byte(0), 1, true};
  uint32_t code = byte(0) & (0x7fU >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return broken;
    code = code << 6U | (byte(i) & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (!is_smallest_form(code, size) || surrogate || code > 0x10ffff) return broken;
  return {code, size, true};
}

bool is_printable(const Character& character) {
  if (!character.valid) return false;
  return std::none_of(kUnprintable.begin(), kUnprintable.end(), [&](const Range& range) {
    return character.code >= range.first && character.code <= range.last;
  });
}

}  // namespace foreflow::utf8
