// A message from a holder to each receiver: the box crosses to a host as often as it has receivers there.
#include "foreflow/reshard/strategy.h"
#include "reshard/direct_jobs.h"

namespace foreflow::reshard::definitions::send_recv {
namespace {

Plan plan(const UnitTasks& units, const Ports& /*ports*/, const PlanOptions& /*options*/) {
  return {.jobs = direct_jobs(units), .turns = {}};
}

}  // namespace

StrategyDef row() {
  return {
      "send_recv", "a message from the least busy holder to each receiver", "arXiv 2211.05322, section 3", true, false,
      plan};
}

}  // namespace foreflow::reshard::definitions::send_recv
