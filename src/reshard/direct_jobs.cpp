#include "reshard/direct_jobs.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "reshard/job_list.h"

namespace foreflow::reshard {

std::vector<Job> direct_jobs(const UnitTasks& units) {
  JobList jobs(units);
  const auto& tasks = units.tasks;
  for (size_t first = 0, last = 0; first < tasks.size(); first = last) {
    const UnitTask& task = tasks[first];
    while (last < tasks.size() && tasks[last].move == task.move && tasks[last].target == task.target) ++last;
    for (const int device : nth(nth(units.to, task.move).tiles, task.target).devices) {
      for (size_t i = first; i < last; ++i) {
        const auto& holders = units.holders(tasks[i]);
        if (std::find(holders.begin(), holders.end(), device) != holders.end()) continue;
        jobs.add(jobs.copy(static_cast<int>(i), {jobs.least_sent(holders), device}, units.box(tasks[i])));
      }
    }
  }
  return jobs.take();
}

}  // namespace foreflow::reshard
