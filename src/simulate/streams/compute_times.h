// Durations of computations under slowdowns and jitter, and what their hosts make of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/platform/platform.h"
#include "foreflow/simulate/disturbance.h"
#include "foreflow/stream/program.h"

namespace foreflow::simulate {

// The factor of a device that is off: it gets nowhere.
constexpr double kOff = 1e30;

class ComputeTimes {
 public:
  // Keeps references to the program and to the platform, which gives devices their names.
  ComputeTimes(const stream::Program& program, const platform::Platform& platform, const Disturbances& disturbances);

  // The undisturbed duration of each of Program::computes, in seconds.
  const double* durations() const { return durations_.data(); }
  // True when every compute of the stream takes exactly durations().
  bool as_planned(int32_t stream) const { return nth(paces_of_, stream) < 0 && jitter_.amplitude == 0; }
  // Returns true if anything costs the hosts of the streams time; if not, streams need not ask them.
  bool hosted() const { return hosted_; }
  const stream::Issue& issue(const stream::Item& item) const {
    const auto event = static_cast<size_t>(item.event);
    return item.instance < 0 ? program_.computes[event].issue : program_.communications[event].issue;
  }
  // The computation that is item `number` of the stream, which is free from `free` on, issued by its host.
  struct Run {
    double start, end;
    double inside;  // the device waits so long between kernels
  };
  Run run(int32_t stream, size_t number, const stream::Item& item, double free, stream::HostClock& host) const {
    const stream::Issue& issued = issue(item);
    const auto begun            = host.issue(issued, free);
    const double by_device      = end(stream, number, item.event, begun.start);
    if (!(issued.lag > Seconds(0))) return {begun.start, by_device, 0};
    const double by_host = end_of(stream, number, issued.tail.value(), begun.last);
    return {begun.start, std::max(by_device, by_host), std::max(by_host - by_device, 0.0)};
  }

  // When the computation `event`, item `item` of the stream, ends if it starts at `start`; seconds. Throws Error when
  // the device is off for good before that.
  double end(int32_t stream, size_t item, int32_t event, double start) const {
    return end_of(stream, item, nth(durations_, event), start);
  }

 private:
  struct Pace {
    double from;    // until the next one
    double factor;  // computations take this many times their duration
  };

  // As `end`, of a part of an item that takes `duration` undisturbed.
  double end_of(int32_t stream, size_t item, double duration, double start) const;
  double factor(int32_t stream, size_t item) const;
  [[noreturn]] void fail_off(int32_t slowdown) const;

  const stream::Program& program_;
  const platform::Platform& platform_;
  bool hosted_;
  std::vector<double> durations_;
  std::vector<int32_t> paces_of_;         // by stream: index into paces_; -1: no slowdown
  std::vector<std::vector<Pace>> paces_;  // of a device, from time 0
  std::vector<int> devices_;              // that these are of, indices into the platform's list
  Jitter jitter_;
};

}  // namespace foreflow::simulate
