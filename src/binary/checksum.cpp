#include "binary/checksum.h"

#include <array>

namespace foreflow::binary {
namespace {

constexpr uint32_t kPolynomial = 0xEDB88320;  // of ISO 3309, lowest power first

// The checksum of each byte alone.
constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? kPolynomial : 0);
    table[byte] = value;
  }
  return table;
}

constexpr auto kTable = make_table();

}  // namespace

uint32_t checksum(std::string_view bytes) {
  uint32_t value = 0xFFFFFFFF;
  for (const char c : bytes) value = value >> 8 ^ kTable[(value ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~value;
}

}  // namespace foreflow::binary
