// Total times and peak memory of each device.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "foreflow/stream/timeline.h"

namespace foreflow::report {

struct DeviceTimes {
  Seconds compute, communication, busy;  // lengths of unions of intervals
  Bytes peak_memory;
};

// Plays the streams of devices; of those that do the same at the same times only the first. Both arguments outlive it.
class DevicePlayer {
 public:
  DevicePlayer(const stream::Program& program, const stream::Timeline& timeline)
      : program_(program), timeline_(timeline) {}

  // `device`: index into Program::devices; `streams`: its own, by their index in the program.
  DeviceTimes play(int device, const std::vector<size_t>& streams);

 private:
  struct Known {
    std::vector<size_t> streams;
    DeviceTimes times;
  };
  // A key that equal devices share and most others do not: initial memory, number of items, end of the last item, and
  // when the streams are halfway, added up.
  using Key = std::tuple<double, size_t, double, double>;

  bool same_course(const std::vector<size_t>& a, const std::vector<size_t>& b) const;

  const stream::Program& program_;
  const stream::Timeline& timeline_;
  std::multimap<Key, Known> known_;
};

}  // namespace foreflow::report
