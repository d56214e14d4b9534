// The messages of send_recv with one byte each: the dependencies without the data. A device sends or receives one after
// the other, so a strategy with fewer messages can be faster where latencies decide.
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
          "the messages of send_recv with one byte each: their latencies, one after the other at each device",
          "arXiv 2211.05322, figure 7: \"signal send/recv\"",
          false,
          false,
          plan};
}

}  // namespace foreflow::reshard::definitions::signal
