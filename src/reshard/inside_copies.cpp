#include "reshard/inside_copies.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::reshard {

Schedule add_inside(JobList& jobs, const UnitTasks& units, const Ports& ports, const std::vector<Delivery>& inside,
                    const PlanOptions& options) {
  if (inside.empty()) return {};
  const Problem problem     = problem_of(inside, *ports.inside, [&](const Delivery& delivery, int sender) {
    return chain_time(delivery, sender, *ports.inside);
  });
  const BalanceDef& balance = options.balance == nullptr ? *balances().begin() : *options.balance;
  const Schedule schedule   = balance.solve(problem, options);
  for (const Assignment& one : schedule.order) {
    const Delivery& delivery = nth(inside, one.task);
    // Ports are devices, so the candidates are the holders.
    std::vector<int> devices = {nth(delivery.holders, one.candidate)};
    for (const Arrival& arrival : delivery.arrivals) devices.push_back(arrival.devices.front());
    jobs.add(jobs.copy(delivery.task, std::move(devices), units.box(nth(units.tasks, delivery.task)), options.chunks));
  }
  return schedule;
}

void expect_beside(Plan& plan, const Schedule& inside) {
  if (inside.makespan > plan.expected) plan.proven = inside.proven;
  plan.expected = std::max(plan.expected, inside.makespan);
  plan.bound    = std::max(plan.bound, inside.lower_bound);
}

}  // namespace foreflow::reshard
