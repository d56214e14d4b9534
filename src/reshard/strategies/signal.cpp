// The messages of send_recv with one byte each: the dependencies without the data, which no strategy can be faster
// than.
#include "foreflow/reshard/strategy.h"
#include "reshard/direct_jobs.h"

namespace foreflow::reshard::definitions::signal {
namespace {

Plan plan(const UnitTasks& units, const Ports& /*ports*/, const PlanOptions& /*options*/) {
  Plan plan{.jobs = direct_jobs(units), .turns = {}};
  for (Job& job : plan.jobs) job.bytes = Bytes(1);
  return plan;
}

}  // namespace

StrategyDef row() {
  return {"signal",
          "one byte to each receiver: what is left when data takes no time",
          "\"Signal Send/Recv\" of the paper's figure 7",
          false,
          false,
          plan};
}

}  // namespace foreflow::reshard::definitions::signal
