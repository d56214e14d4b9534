// Which devices a report lists individually.
#pragma once

#include <string_view>
#include <vector>

#include "foreflow/stream/program.h"

namespace foreflow::report {

struct DeviceChoice {
  bool all = false;
  // The listed devices, unless `all`. Empty: none, and equal devices are reported as one group.
  std::vector<stream::DeviceRange> numbers;

  bool none() const { return !all && numbers.empty(); }
  bool contains(int32_t number) const;
};

// "all", or numbers and ranges such as "D1-D8,D17" or "1-8,17". Throws Error at `where` for anything else.
DeviceChoice read_device_choice(std::string_view text, std::string_view where);

// Throws Error at `where` when a number is none of 1 .. `devices`.
void check(const DeviceChoice& choice, int64_t devices, std::string_view where);

}  // namespace foreflow::report
