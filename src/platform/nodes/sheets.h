// The data sheets of nodes.
#pragma once

#include <string_view>

#include "foreflow/platform/data_sheet.h"

namespace foreflow::platform {

// That of a row of devices().
inline const DataSheet& sheet(std::string_view kind) { return devices().get(kind, "a node").sheet; }

}  // namespace foreflow::platform
