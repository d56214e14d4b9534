// Send each receiving host the box in equal parts, one to each of its receivers, which then gather all parts inside the
// host (section 3 of the paper). The time grows with the number of hosts.
//
//   sender -> part 0 to device 0, part 1 to device 1 of host 1; they exchange parts; then host 2
#include "reshard/balanced_plan.h"

namespace foreflow::reshard::definitions::local_allgather {
namespace {

Seconds duration(const Delivery& delivery, const Port& sender, const Ports& ports) {
  Seconds sum;
  for (const Arrival& arrival : delivery.arrivals) sum += delivery.bytes / pace(sender, arrival, ports);
  return sum;
}

void add(JobList& jobs, const Delivery& delivery, const Box& box, int sender, const Ports& ports, int /*chunks*/) {
  const int out = ports.port(sender);
  bool first    = true;
  int last      = -1;
  for (const Arrival& arrival : delivery.arrivals) {
    const auto parts = cut(box, static_cast<int>(arrival.devices.size()));
    bool enters      = true;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (volume(parts[i]) == 0) continue;
      Job job = jobs.copy(delivery.task, {sender, arrival.devices[i]}, parts[i]);
      if (first) jobs.wait(job, JobList::Side::out, out, sender);
      if (enters) jobs.wait(job, JobList::Side::in, arrival.port, arrival.devices[i]);
      first = enters = false;
      last           = jobs.add(std::move(job));
      jobs.used(last, JobList::Side::in, arrival.port, arrival.devices[i]);
    }
    if (parts.size() == 1) continue;
    const int gathered = jobs.add(jobs.gather(delivery.task, arrival.devices, parts));
    jobs.used(gathered, JobList::Side::in, arrival.port, arrival.devices.front());
  }
  jobs.used(last, JobList::Side::out, out, sender);
}

Plan plan(const UnitTasks& units, const Ports& ports, const PlanOptions& options) {
  return balanced_plan(units, ports, options, {duration, add});
}

}  // namespace

StrategyDef row() {
  return {"local_allgather",
          "parts to the receivers of each host, which gather them inside the host",
          "arXiv 2211.05322, section 3",
          true,
          true,
          plan};
}

}  // namespace foreflow::reshard::definitions::local_allgather
