#include "reshard/deliveries.h"

#include <algorithm>
#include <iterator>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"

namespace foreflow::reshard {
namespace {

// Puts the device in front whose port has received the least.
void choose_entry(std::vector<int>& devices, const Ports& ports, const std::vector<Bytes>& received) {
  const auto entry = std::min_element(devices.begin(), devices.end(), [&](int a, int b) {
    return nth(received, ports.port(a)) < nth(received, ports.port(b));
  });
  std::rotate(devices.begin(), entry, entry + 1);
}

// The receivers by host, in order of first appearance.
std::vector<std::vector<int>> by_host(const std::vector<int>& devices, const Ports& ports) {
  std::vector<std::vector<int>> result;
  std::vector<int> hosts;
  for (const int device : devices) {
    const auto known = std::find(hosts.begin(), hosts.end(), ports.host(device));
    const auto index = static_cast<size_t>(known - hosts.begin());
    if (known == hosts.end()) hosts.push_back(ports.host(device)), result.emplace_back();
    result[index].push_back(device);
  }
  return result;
}

}  // namespace

size_t Delivery::receivers() const {
  size_t count = 0;
  for (const Arrival& arrival : arrivals) count += arrival.devices.size();
  return count;
}

Deliveries deliveries(const UnitTasks& units, const Ports& ports) {
  Deliveries result;
  std::vector<Bytes> received(ports.ports.size());
  for (size_t i = 0; i < units.tasks.size(); ++i) {
    const UnitTask& task = units.tasks[i];
    const auto& holders  = units.holders(task);
    Delivery delivery{static_cast<int>(i), task.bytes, holders, {}};
    for (std::vector<int>& devices : by_host(units.receivers(task), ports)) {
      Delivery local{static_cast<int>(i), task.bytes, {}, {}};
      std::copy_if(holders.begin(), holders.end(), std::back_inserter(local.holders),
                   [&](int holder) { return ports.host(holder) == ports.host(devices.front()); });
      if (!local.holders.empty()) {
        FOREFLOW_CHECK(ports.inside != nullptr, "a host with two devices has ports inside");
        for (const int device : devices) local.arrivals.push_back({ports.inside->port(device), {device}});
        result.inside.push_back(std::move(local));
        continue;
      }
      choose_entry(devices, ports, received);
      const int port = ports.port(devices.front());
      nth(received, port) += task.bytes;
      delivery.arrivals.push_back({port, std::move(devices)});
    }
    if (!delivery.arrivals.empty()) result.crossing.push_back(std::move(delivery));
  }
  return result;
}

Seconds chain_time(const Delivery& delivery, int sender, const Ports& ports) {
  Seconds slowest;
  for (const Arrival& arrival : delivery.arrivals)
    slowest = std::max(slowest, delivery.bytes / ports.pace(sender, arrival.port));
  return slowest;
}

Problem problem_of(const std::vector<Delivery>& deliveries, const Ports& ports, const Duration& duration) {
  Problem problem{static_cast<int>(ports.ports.size()), {}, ports.half_duplex()};
  for (const Delivery& delivery : deliveries) {
    ProblemTask task;
    for (const int holder : delivery.holders) {
      const int port   = ports.port(holder);
      const auto known = [&](const Candidate& one) { return one.sender == port; };
      if (std::none_of(task.senders.begin(), task.senders.end(), known))
        task.senders.push_back({port, duration(delivery, port)});
    }
    for (const Arrival& arrival : delivery.arrivals) task.receivers.push_back(arrival.port);
    std::sort(task.receivers.begin(), task.receivers.end());
    problem.tasks.push_back(std::move(task));
  }
  return problem;
}

}  // namespace foreflow::reshard
