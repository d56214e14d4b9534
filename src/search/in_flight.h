// How many microbatches the devices of a pipeline have in flight.
#pragma once

#include <map>
#include <tuple>

#include "foreflow/schedule/schedule.h"

namespace foreflow::search {

// Of the devices d of a schedule, each of which has, at some time, n(d) microbatches or more in flight in every one of
// its chunks. A device may have n(d) = 0; it then counts in none of these.
struct InFlight {
  double inverse = 0;  // the sum of 1 / n(d)
  double most    = 0;  // the largest n(d)
  int pipes      = 1;
  bool all       = false;  // no n(d) is 0
};

// Keeps what it has counted.
class InFlightTable {
 public:
  const InFlight& of(const schedule::ScheduleDef& schedule, const schedule::Size& size);

 private:
  std::map<std::tuple<const schedule::ScheduleDef*, int, int, int>, InFlight> known_;
};

}  // namespace foreflow::search
