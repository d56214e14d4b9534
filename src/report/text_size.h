// The size of a report with a line for each item, before it is written.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/stream/program.h"

namespace foreflow::report {

// Room for `size` bytes of the report `name`. Throws Error when they do not fit into memory; the message tells how many
// items and devices of `program` they are for.
std::string room_for_report(std::string_view name, const stream::Program& program, size_t size);

}  // namespace foreflow::report
