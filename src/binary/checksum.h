// The checksum that shows whether the content of a file has changed.
#pragma once

#include <cstdint>
#include <string_view>

namespace foreflow::binary {

// CRC-32 as in ISO 3309 and zip files: any single flipped bit, and any burst of up to 32, changes it.
uint32_t checksum(std::string_view bytes);

}  // namespace foreflow::binary
