// The largest flow through a network of capacities, which is its smallest cut.
#pragma once

#include <cstdint>
#include <vector>

namespace foreflow::platform {

struct Pipe {
  int from, to;
  int64_t capacity;
};

// How much can flow from the vertices `sources` to the vertices `sinks`, which give and take any amount (Dinic 1970).
// Vertices are counted from 0 to `vertices` - 1; no source is a sink.
int64_t max_flow(int vertices, const std::vector<Pipe>& pipes, const std::vector<int>& sources,
                 const std::vector<int>& sinks);

}  // namespace foreflow::platform
