// The plans of schedules that were asked for last.
#pragma once

#include <map>
#include <tuple>

#include "foreflow/schedule/plan.h"

namespace foreflow::search {

class Plans {
 public:
  // The plan, valid until the next call.
  const schedule::Plan& of(const schedule::ScheduleDef& schedule, const schedule::Size& size);

 private:
  std::map<std::tuple<const schedule::ScheduleDef*, int, int, int>, schedule::Plan> known_;
  size_t tasks_ = 0;  // in all of them
};

}  // namespace foreflow::search
