#include "schedule/steps.h"

#include <algorithm>

namespace foreflow::schedule {

void Steps::weight_grad() {
  FOREFLOW_CHECK(!waiting_.empty(), "a weight gradient follows its input gradient");
  tasks_.push_back(waiting_.front());
  waiting_.pop_front();
}

void Steps::weight_grad(int chunk) {
  const auto found =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Task& task) { return task.chunk == chunk; });
  FOREFLOW_CHECK(found != waiting_.end(), "a weight gradient follows its input gradient");
  tasks_.push_back(*found);
  waiting_.erase(found);
}

bool Steps::has_waiting(int chunk) const {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Task& task) { return task.chunk == chunk; });
}

}  // namespace foreflow::schedule
