// Broadcast: a chain from the sender through all receivers, host by host, in chunks that follow each other (section 3
// of the paper). With K chunks and A hosts, (K + A - 1) / K of the time to send the box once.
//
//   sender -> host 1: device 0 -> device 1 -> host 2: device 0 -> device 1
#include "reshard/balanced_plan.h"

namespace foreflow::reshard::definitions::broadcast {
namespace {

void add(JobList& jobs, const Delivery& delivery, const Box& box, int sender, const Ports& ports, int chunks) {
  std::vector<int> devices = {sender};
  for (const Arrival& arrival : delivery.arrivals)
    devices.insert(devices.end(), arrival.devices.begin(), arrival.devices.end());
  Job job = jobs.copy(delivery.task, std::move(devices), box, chunks);
  jobs.wait(job, JobList::Side::out, ports.port(sender), sender);
  for (const Arrival& arrival : delivery.arrivals)
    jobs.wait(job, JobList::Side::in, arrival.port, arrival.devices.front());
  const int index = jobs.add(std::move(job));
  jobs.used(index, JobList::Side::out, ports.port(sender), sender);
  for (const Arrival& arrival : delivery.arrivals)
    jobs.used(index, JobList::Side::in, arrival.port, arrival.devices.front());
}

Plan plan(const UnitTasks& units, const Ports& ports, const PlanOptions& options) {
  return balanced_plan(units, ports, options, {chain_time, add});
}

}  // namespace

StrategyDef row() {
  return {"broadcast",
          "a chain in chunks from the sender through all receivers, host by host",
          "arXiv 2211.05322, section 3: \"ours\"",
          true,
          true,
          plan};
}

}  // namespace foreflow::reshard::definitions::broadcast
