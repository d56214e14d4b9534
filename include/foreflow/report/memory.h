// Contents of device memory: by class over time, and by name at the peak.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/report/allocator.h"
#include "foreflow/report/device_choice.h"
#include "foreflow/report/summary.h"
#include "foreflow/stream/storage.h"
#include "foreflow/stream/timeline.h"

namespace foreflow::report {

using ClassBytes = std::array<Bytes, stream::kMemoryClasses>;  // by stream::MemoryClass

// All live buffers with one name and class, such as the same activation of several microbatches.
struct Alive {
  std::string name;
  stream::MemoryClass kind;
  Bytes size;  // total
  int64_t count = 1;
};

// The memory peak of a group of devices that run the same items and have the same peak.
struct MemoryPeak {
  std::vector<int> devices;  // indices into Program::devices; the other members describe the first
  Seconds time;              // when the peak is first reached
  Bytes size;
  ClassBytes classes{};      // add up to `size`
  std::vector<Alive> alive;  // largest first
  std::optional<AllocatorUse> allocator = {};
  Bytes host{0};    // peak of offloaded bytes in host memory
  Seconds until{};  // when the level is first another one; the peak of an item counts for its whole duration
};

// One entry for each group, in the order of their first devices. With `fullest` only the groups with the highest peak,
// which is quicker: every group costs a walk through the program. Each entry has the allocator's use where the job asks
// for it. Empty for a program without storage.
enum class PeaksOf : uint8_t { every_device, fullest };
std::vector<MemoryPeak> memory_peaks(const Summary& summary, const stream::Program& program,
                                     const stream::Timeline& timeline, PeaksOf which = PeaksOf::every_device);

struct ClassPoint {
  Seconds time;
  ClassBytes classes;  // from `time` until the next point
};
// Peak of the bytes that a device (an index into Program::devices) keeps in host memory. Each buffer counts from the
// start of its copy to the host until the end of its copy back.
Bytes host_peak(const stream::Program& program, const stream::Timeline& timeline, int device);

// Memory by class over time of one device, an index into Program::devices. While an item runs, its peak counts for its
// whole duration.
std::vector<ClassPoint> memory_by_class(const stream::Program& program, const stream::Timeline& timeline, int device);

// The result of `simulate --json`; a caller may add members. When there are peaks, memory contents are added: "memory"
// in each entry of "devices", and "memory_peaks". Requires: `program` and `platform` are those of the summary.
Json to_json(const Summary& summary, const stream::Program& program, const platform::Platform& platform,
             const std::vector<MemoryPeak>& peaks = {}, const DeviceChoice& choice = {});

}  // namespace foreflow::report
