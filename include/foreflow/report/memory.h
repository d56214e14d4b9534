// What the memory of devices holds: by class over time, and by name when it is fullest.
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

// Buffers of one name and class: those of several microbatches, say.
struct Alive {
  std::string name;
  stream::MemoryClass kind;
  Bytes size;  // of all of them
  int64_t count = 1;
};

// The fullest moment of devices that run the same items and are as full.
struct MemoryPeak {
  std::vector<int> devices;  // indices into Program::devices; what follows is that of the first
  Seconds time;              // the first such moment
  Bytes size;
  ClassBytes classes{};      // add up to `size`
  std::vector<Alive> alive;  // largest first
  std::optional<AllocatorUse> allocator = {};
  Bytes host{0};  // the most that waits in the memory of the host at one time
};

// In the order of the first devices; with what the allocator would reserve where the summary's job asks for it. Empty
// for a program that does not say what its memory holds. Only of the fullest devices where that is all that is asked
// for: each costs a walk through the program.
enum class PeaksOf : uint8_t { every_device, fullest };
std::vector<MemoryPeak> memory_peaks(const Summary& summary, const stream::Program& program,
                                     const stream::Timeline& timeline, PeaksOf which = PeaksOf::every_device);

struct ClassPoint {
  Seconds time;
  ClassBytes classes;  // from here until the next point
};
// The most bytes of a device (an index into Program::devices) that copies to and from the host leave there at one time:
// from the start of a copy to the host until the end of that back.
Bytes host_peak(const stream::Program& program, const stream::Timeline& timeline, int device);

// Of one device, an index into Program::devices. While an item runs, its memory is that of its own fullest moment.
std::vector<ClassPoint> memory_by_class(const stream::Program& program, const stream::Timeline& timeline, int device);

// The result of `simulate --json`; a caller may add members. Where there are peaks, with what the memory holds:
// "memory" of each of "devices", and "memory_peaks". `program` and `platform` are those of the summary.
Json to_json(const Summary& summary, const stream::Program& program, const platform::Platform& platform,
             const std::vector<MemoryPeak>& peaks = {}, const DeviceChoice& choice = {});

}  // namespace foreflow::report
