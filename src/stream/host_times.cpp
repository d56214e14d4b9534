#include "foreflow/stream/host_times.h"

#include "foreflow/stream/host.h"

namespace foreflow::stream {

bool has_hosts(const Program& program) {
  const auto costs = [](const auto& event) { return event.issue.costs(); };
  return std::any_of(program.computes.begin(), program.computes.end(), costs) ||
         std::any_of(program.communications.begin(), program.communications.end(), costs);
}

std::vector<Issued> issued(const Program& program, const Timeline& timeline, size_t stream) {
  const std::vector<Item>& items = program.streams[stream].items;
  std::vector<Issued> all;
  all.reserve(items.size());
  HostClock host;
  double free = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const Item& item     = items[i];
    const auto event     = static_cast<size_t>(item.event);
    const Record& record = timeline.records[stream][i];
    const double end     = record.end.value();
    double idle = 0, inside = 0;
    if (item.instance < 0) {
      const Compute& compute = program.computes[event];
      const auto begun       = host.issue(compute.issue, free);
      idle                   = begun.start - free;
      if (begun.least_end >= end) inside = std::max(0.0, end - begun.start - compute.duration.value());
      const Seconds until(host.now());
      all.push_back({until - compute.issue.all, until, Seconds(idle), Seconds(inside)});
      free = end;
      continue;
    }
    const Issue& issue       = program.communications[event].issue;
    const Instance& instance = program.instances[static_cast<size_t>(item.instance)];
    const bool hands_over    = is_hand_over(program, instance);
    const bool signals       = hands_over && static_cast<size_t>(instance.members[0]) == stream;
    const double before      = host.now();
    if (!hands_over || signals) {
      const double arrival = host.arrive(issue, free);
      if (!signals) idle = std::min(arrival, record.start.value()) - free;
    }
    all.push_back({Seconds(before), Seconds(host.now()), Seconds(std::max(idle, 0.0)), Seconds(0)});
    if (!signals) host.ended(issue, end);
    free = end;
  }
  return all;
}

}  // namespace foreflow::stream
