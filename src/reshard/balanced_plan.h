// Plans of strategies whose unit tasks a balance orders.
#pragma once

#include "foreflow/reshard/strategy.h"
#include "reshard/deliveries.h"
#include "reshard/job_list.h"

namespace foreflow::reshard {

// How a strategy communicates one delivery.
struct Way {
  Seconds (*duration)(const Delivery& delivery, int sender, const Ports& ports);
  // Adds its jobs, which wait for the ports and use them. `sender` is one of the holders.
  void (*add)(JobList& jobs, const Delivery& delivery, const Box& box, int sender, const Ports& ports, int chunks);
};

// Copies inside hosts come first, since they take little, in an order of their own. Then the deliveries follow in the
// order of the balance; of the holders at the chosen port, the one that has sent least sends.
Plan balanced_plan(const UnitTasks& units, const Ports& ports, const PlanOptions& options, const Way& way);

}  // namespace foreflow::reshard
