// How long computes take where some devices are slower than planned and durations vary.
#pragma once

#include <cstdint>
#include <vector>

#include "foreflow/simulate/disturbance.h"
#include "foreflow/stream/program.h"

namespace foreflow::simulate {

class ComputeTimes {
 public:
  ComputeTimes(const stream::Program& program, const Disturbances& disturbances);

  // Of each of Program::computes, undisturbed, in seconds.
  const double* durations() const { return durations_.data(); }
  // Whether every compute of the stream takes what durations() says.
  bool as_planned(int32_t stream) const { return paces_of_[static_cast<size_t>(stream)] < 0 && jitter_.amplitude == 0; }
  // When `event`, which is the item number `item` of the stream, ends if it starts at `start`.
  double end(int32_t stream, size_t item, int32_t event, double start) const;

 private:
  struct Pace {
    double from;    // until the next one
    double factor;  // a compute takes so many times as long
  };

  double factor(int32_t stream, size_t item) const;

  std::vector<double> durations_;
  std::vector<int32_t> paces_of_;         // by stream: index into paces_; -1: no slowdown
  std::vector<std::vector<Pace>> paces_;  // of a device, from time 0
  Jitter jitter_;
};

}  // namespace foreflow::simulate
