// Time and memory of the command itself.
#pragma once

#include "foreflow/base/json.h"

namespace foreflow::cli {

// Adds wall_time_s (since the start of the process) and peak_rss_bytes (of it or its largest child).
void add_timing(Json& result);

}  // namespace foreflow::cli
