// Copies of boxes between devices of one host, which every strategy with an order makes as chains.
#pragma once

#include <vector>

#include "foreflow/reshard/strategy.h"
#include "reshard/deliveries.h"
#include "reshard/job_list.h"

namespace foreflow::reshard {

// Adds a chain for each delivery inside a host, in the order and from the holders that the balance chooses on
// `ports.inside`. Needs no waits: a port is a device there, which does its jobs in the order of the list.
Schedule add_inside(JobList& jobs, const UnitTasks& units, const Ports& ports, const std::vector<Delivery>& inside,
                    const PlanOptions& options);

// Adds what is known of these copies to a plan: they and the turns of the plan use other ports.
void expect_beside(Plan& plan, const Schedule& inside);

}  // namespace foreflow::reshard
