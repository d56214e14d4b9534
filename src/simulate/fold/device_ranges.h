// Ascending device numbers as ranges.
#pragma once

#include <cstdint>
#include <vector>

#include "foreflow/stream/program.h"

namespace foreflow::simulate {

// {1, 2, 3, 9, 17, 25} is 1-3 and every eighth from 9 to 25.
std::vector<stream::DeviceRange> ranges(const std::vector<int32_t>& ascending);

}  // namespace foreflow::simulate
