// The memory of one device over time.
#pragma once

#include <vector>

#include "foreflow/stream/timeline.h"

namespace foreflow::report {

struct MemoryPoint {
  Seconds time;
  Bytes level;  // from here until the next point
};

// How far a stream is: so many items have ended, and perhaps the next one runs.
struct Progress {
  size_t ended = 0;
  bool running = false;
};

struct MemoryCurve {
  Bytes peak;
  Seconds time                    = {};  // of the first moment of the peak
  std::vector<Progress> at_peak   = {};  // per stream of the device
  std::vector<MemoryPoint> points = {};  // times increase; the first is 0
};

// Per device of the program, the indices of its streams.
std::vector<std::vector<size_t>> streams_by_device(const stream::Program& program);

// Items of the device's streams that run at the same time need their workspaces at the same time.
// `device` is an index into Program::devices, `streams` are its own.
MemoryCurve memory_curve(const stream::Program& program, const stream::Timeline& timeline, int device,
                         const std::vector<size_t>& streams);

}  // namespace foreflow::report
