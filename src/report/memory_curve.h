// The memory of one device over time.
#pragma once

#include <vector>

#include "foreflow/stream/timeline.h"

namespace foreflow::report {

struct MemoryPoint {
  Seconds time;
  Bytes level;  // from `time` until the next point
};

// The progress of a stream: the number of items that have ended, and whether the next one is running.
struct Progress {
  size_t ended = 0;
  bool running = false;
};

struct MemoryCurve {
  Bytes peak;
  Seconds time                    = {};  // when the peak is first reached
  std::vector<Progress> at_peak   = {};  // per stream of the device
  std::vector<MemoryPoint> points = {};  // times increase; the first is 0
};

// Per device of the program, the indices of its streams.
std::vector<std::vector<size_t>> streams_by_device(const stream::Program& program);

// The memory of a device over time. Items of different streams that run at the same time need their workspaces at the
// same time. `device` is an index into Program::devices; `streams` are the streams of that device.
MemoryCurve memory_curve(const stream::Program& program, const stream::Timeline& timeline, int device,
                         const std::vector<size_t>& streams);

}  // namespace foreflow::report
