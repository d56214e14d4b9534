// Send each receiver an equal part of the box; then all receivers, over all hosts, gather all parts in a ring (section
// 3 of the paper). Twice the time to send the box, at most, for any number of receivers.
//
//   sender -> part 0 to host 1 device 0, part 1 to host 1 device 1, part 2 to host 2 device 0, ...; then a ring of all
#include "foreflow/base/nth.h"
#include "reshard/balanced_plan.h"

namespace foreflow::reshard::definitions::global_allgather {
namespace {

// The ring crosses each port once in each direction with all parts but one.
Seconds duration(const Delivery& delivery, int sender, const Ports& ports) {
  const auto receivers = static_cast<double>(delivery.receivers());
  Seconds sending, gathering;
  for (const Arrival& arrival : delivery.arrivals) {
    const Port& port   = nth(ports.ports, arrival.port);
    const double share = static_cast<double>(arrival.devices.size()) / receivers;
    sending += share * delivery.bytes / ports.pace(sender, arrival.port);
    gathering = std::max(gathering, (receivers - 1) / receivers * delivery.bytes / std::min(port.in, port.out));
  }
  return delivery.arrivals.size() > 1 ? sending + gathering : sending;
}

void add(JobList& jobs, const Delivery& delivery, const Box& box, int sender, const Ports& ports, int /*chunks*/) {
  const int out = ports.port(sender);
  std::vector<int> receivers;
  for (const Arrival& arrival : delivery.arrivals)
    receivers.insert(receivers.end(), arrival.devices.begin(), arrival.devices.end());
  const auto parts = cut(box, static_cast<int>(receivers.size()));
  size_t place     = 0;
  int last         = -1;
  for (const Arrival& arrival : delivery.arrivals) {
    for (const int device : arrival.devices) {
      const Box& part = parts[place++];
      // A device without a part meets the port in the all-gather.
      if (volume(part) == 0) continue;
      Job job = jobs.copy(delivery.task, {sender, device}, part);
      if (last < 0) jobs.wait(job, JobList::Side::out, out, sender);
      if (device == arrival.devices.front()) jobs.wait(job, JobList::Side::in, arrival.port, device);
      last = jobs.add(std::move(job));
      jobs.used(last, JobList::Side::in, arrival.port, device);
    }
  }
  jobs.used(last, JobList::Side::out, out, sender);
  if (receivers.size() == 1) return;
  const int gathered = jobs.add(jobs.gather(delivery.task, receivers, parts));
  for (const Arrival& arrival : delivery.arrivals)
    jobs.used(gathered, JobList::Side::in, arrival.port, arrival.devices.front());
}

Plan plan(const UnitTasks& units, const Ports& ports, const PlanOptions& options) {
  return balanced_plan(units, ports, options, {duration, add});
}

}  // namespace

StrategyDef row() {
  return {"global_allgather",
          "a part to each receiver, all of which gather the parts over all hosts",
          "arXiv 2211.05322, section 3",
          true,
          true,
          plan};
}

}  // namespace foreflow::reshard::definitions::global_allgather
