#include "foreflow/reshard/volume.h"

#include <algorithm>
#include <set>
#include <vector>

#include "foreflow/base/nth.h"

namespace foreflow::reshard {
namespace {

std::set<int> hosts_of(const Ports& ports, const std::vector<int>& devices) {
  std::set<int> hosts;
  for (const int device : devices) hosts.insert(ports.host(device));
  return hosts;
}

// Hosts that have the box of a task, and hosts that need it and do not have it.
struct Sides {
  std::set<int> have, need;
};

Sides sides_of(const UnitTasks& units, const Ports& ports, const UnitTask& task) {
  Sides sides{hosts_of(ports, units.holders(task)), hosts_of(ports, units.receivers(task))};
  for (const int host : sides.have) sides.need.erase(host);
  return sides;
}

// The speed of all ports of each host together.
std::vector<BytesPerSecond> speeds(const Ports& ports, BytesPerSecond Port::*direction) {
  std::vector<BytesPerSecond> result(ports.hosts.size());
  for (const Port& port : ports.ports) nth(result, port.host) += port.*direction;
  return result;
}

}  // namespace

Bytes least_volume(const UnitTasks& units) {
  Bytes volume;
  for (const UnitTask& task : units.tasks) {
    if (!units.receivers(task).empty()) volume += task.bytes;
  }
  return volume;
}

Bytes least_crossing(const UnitTasks& units, const Ports& ports) {
  Bytes received;
  for (const UnitTask& task : units.tasks)
    received += static_cast<double>(sides_of(units, ports, task).need.size()) * task.bytes;
  return received;
}

Bytes crossing(const std::vector<Job>& jobs, const Ports& ports) {
  Bytes bytes;
  for (const Job& job : jobs) {
    const auto hosts   = static_cast<double>(hosts_of(ports, job.devices).size());
    const auto devices = static_cast<double>(job.devices.size());
    const bool ring    = job.kind == collective::Kind::all_gather && hosts > 1;
    bytes += (ring ? hosts * (devices - 1) / devices : hosts - 1) * job.bytes;
  }
  return bytes;
}

namespace {

// The least time of hosts with these speeds, all ports of each together.
Seconds least_time_of(const UnitTasks& units, const Ports& ports, const std::vector<BytesPerSecond>& in,
                      const std::vector<BytesPerSecond>& out) {
  std::vector<Bytes> received(ports.hosts.size());
  std::map<std::set<int>, Bytes> held;
  std::set<int> all;
  for (const UnitTask& task : units.tasks) {
    const Sides sides = sides_of(units, ports, task);
    if (sides.need.empty()) continue;
    for (const int host : sides.need) nth(received, host) += task.bytes;
    held[sides.have] += task.bytes;
    all.insert(sides.have.begin(), sides.have.end());
  }
  Seconds bound;
  for (size_t host = 0; host < received.size(); ++host) {
    if (received[host] > Bytes(0)) bound = std::max(bound, received[host] / in[host]);
  }
  held.emplace(all, Bytes(0));
  for (const auto& [hosts, own] : held) {
    Bytes bytes;
    BytesPerSecond speed;
    for (const int host : hosts) speed += nth(out, host);
    for (const auto& [others, more] : held) {
      if (std::includes(hosts.begin(), hosts.end(), others.begin(), others.end())) bytes += more;
    }
    if (bytes > Bytes(0)) bound = std::max(bound, bytes / speed);
  }
  return bound;
}

// The speed of each device, as Ports::inside counts them: that of its port inside its host, and that of its card.
std::vector<BytesPerSecond> speeds_of_devices(const Ports& ports, BytesPerSecond Port::*direction) {
  std::vector<BytesPerSecond> result = speeds(*ports.inside, direction);
  for (const auto& [device, own] : ports.inside->port_of)
    nth(result, nth(ports.inside->ports, own).host) += nth(ports.ports, ports.port(device)).*direction;
  return result;
}

}  // namespace

Seconds least_time(const UnitTasks& units, const Ports& ports) {
  const Seconds of_hosts = least_time_of(units, ports, speeds(ports, &Port::in), speeds(ports, &Port::out));
  if (ports.inside == nullptr) return of_hosts;
  return std::max(of_hosts, least_time_of(units, *ports.inside, speeds_of_devices(ports, &Port::in),
                                          speeds_of_devices(ports, &Port::out)));
}

}  // namespace foreflow::reshard
