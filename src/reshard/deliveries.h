// Unit tasks as a network sees them: from hosts to hosts.
#pragma once

#include <functional>
#include <vector>

#include "foreflow/reshard/ports.h"
#include "foreflow/reshard/schedule_problem.h"
#include "foreflow/reshard/unit_tasks.h"

namespace foreflow::reshard {

// The receivers of a unit task in one host. The box enters the host at the first of them, over its port.
struct Arrival {
  int port;
  std::vector<int> devices;
};

// The part of a unit task that crosses between hosts: no device of these hosts has the box.
struct Delivery {
  int task;  // index into UnitTasks::tasks
  Bytes bytes;
  std::vector<int> holders;
  std::vector<Arrival> arrivals;  // one for each host, in the order of the mesh

  size_t receivers() const;
};

// In the order of unit tasks. In a host with several ports a box enters at the receiver whose port has received the
// least so far.
struct Deliveries {
  std::vector<Delivery> inside;  // in one host: devices that have the box, and others that need it; on Ports::inside
  std::vector<Delivery> crossing;
};
Deliveries deliveries(const UnitTasks& units, const Ports& ports);

// The time of a chain that begins at the port `sender` and passes through all receivers: that of the slowest arrival.
// The filling of the chain is left out: it is small, and the same for every sender.
Seconds chain_time(const Delivery& delivery, int sender, const Ports& ports);

// How long a delivery occupies its ports when the port `sender` sends.
using Duration = std::function<Seconds(const Delivery& delivery, int sender)>;

// Task i of the problem is deliveries[i]; its candidates are the ports of the holders, in their order.
Problem problem_of(const std::vector<Delivery>& deliveries, const Ports& ports, const Duration& duration);

}  // namespace foreflow::reshard
