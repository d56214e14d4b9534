#include "search/bounds/in_flight.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/schedule/plan.h"

namespace foreflow::search {
namespace {

// The most that all chunks of a device have in flight at the same time.
int least_in_flight(const std::vector<schedule::Task>& tasks, int chunks) {
  std::vector<int> live(static_cast<size_t>(chunks));
  int most = 0;
  for (const schedule::Task& task : tasks) {
    int& here = nth(live, task.chunk);
    if (task.phase == schedule::Phase::forward) {
      ++here;
      most = std::max(most, *std::min_element(live.begin(), live.end()));
    } else if (task.phase != schedule::Phase::weight_grad) {
      --here;
    }
  }
  return most;
}

}  // namespace

const InFlight& InFlightTable::of(const schedule::ScheduleDef& schedule, const schedule::Size& size) {
  const auto [found, fresh] = known_.try_emplace({&schedule, size.devices, size.microbatches, size.chunks});
  InFlight& all             = found->second;
  if (!fresh) return all;
  const schedule::Plan plan = schedule::plan(schedule, size);
  all.pipes                 = plan.pipes();
  all.all                   = true;
  for (const auto& tasks : plan.order) {
    const int count = least_in_flight(tasks, size.chunks);
    all.all         = all.all && count > 0;
    if (count > 0) all.inverse += 1.0 / count;
    all.most = std::max<double>(all.most, count);
  }
  return all;
}

}  // namespace foreflow::search
