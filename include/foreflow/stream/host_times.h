// What the hosts of a program did, replayed from its timeline.
#pragma once

#include <vector>

#include "foreflow/stream/timeline.h"

namespace foreflow::stream {

// Whether anything of the program costs its host time.
bool has_hosts(const Program& program);

struct Issued {
  Seconds from, until;  // the host issues the item
  Seconds idle;         // the stream does nothing before the item because it is not issued yet
  Seconds inside;       // the stream does nothing between kernels of the item because they are not issued yet
};

// Per item of a stream of the program.
std::vector<Issued> issued(const Program& program, const Timeline& timeline, size_t stream);

}  // namespace foreflow::stream
