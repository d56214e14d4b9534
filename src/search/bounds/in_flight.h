// How many microbatches the devices of a pipeline have in flight.
#pragma once

#include <map>
#include <tuple>

#include "foreflow/schedule/schedule.h"

namespace foreflow::search {

// Figures of a schedule. For each of its devices d, n(d) is the largest number of microbatches that every chunk of the
// device has in flight at one and the same time.
struct InFlight {
  double inverse = 0;      // the sum of 1 / n(d) over the devices with n(d) > 0
  double most    = 0;      // the largest n(d)
  int pipes      = 1;      // schedule::Plan::pipes
  bool all       = false;  // n(d) > 0 for all devices
};

// Counts each schedule and size once.
class InFlightTable {
 public:
  const InFlight& of(const schedule::ScheduleDef& schedule, const schedule::Size& size);

 private:
  std::map<std::tuple<const schedule::ScheduleDef*, int, int, int>, InFlight> known_;
};

}  // namespace foreflow::search
