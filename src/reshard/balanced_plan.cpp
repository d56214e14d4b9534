#include "reshard/balanced_plan.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "reshard/inside_copies.h"

namespace foreflow::reshard {

Plan balanced_plan(const UnitTasks& units, const Ports& ports, const PlanOptions& options, const Way& way) {
  const Deliveries all  = deliveries(units, ports);
  const Problem problem = problem_of(
      all.crossing, ports, [&](const Delivery& delivery, int sender) { return way.duration(delivery, sender, ports); });
  const BalanceDef& balance = options.balance == nullptr ? *balances().begin() : *options.balance;
  const Schedule schedule   = balance.solve(problem, options);
  const auto box_of         = [&](int task) { return units.box(nth(units.tasks, task)); };
  JobList jobs(units);
  const Schedule inside = add_inside(jobs, units, ports, all.inside, options);
  Plan plan;
  for (const Assignment& one : schedule.order) {
    const auto index         = static_cast<size_t>(one.task);
    const Delivery& delivery = all.crossing[index];
    const int port           = nth(problem.tasks[index].senders, one.candidate).sender;
    std::vector<int> holders = delivery.holders;
    holders.erase(std::remove_if(holders.begin(), holders.end(), [&](int d) { return ports.port(d) != port; }),
                  holders.end());
    way.add(jobs, delivery, box_of(delivery.task), jobs.least_sent(holders), ports, options.chunks);
    plan.turns.push_back({delivery.task, port, problem.tasks[index].receivers, one.start, one.end});
  }
  plan.jobs     = jobs.take();
  plan.expected = schedule.makespan;
  plan.bound    = schedule.lower_bound;
  plan.proven   = schedule.proven && schedule.makespan > Seconds(0);  // of no ports nothing is known
  expect_beside(plan, inside);
  return plan;
}

}  // namespace foreflow::reshard
