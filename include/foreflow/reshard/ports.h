// The network as resharding sees it: which devices share a port to the others, and how fast ports are.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/base/units.h"
#include "foreflow/platform/platform.h"
#include "foreflow/reshard/unit_tasks.h"

namespace foreflow::reshard {

// The network card of a host, or of some of its devices. It sends and receives at the same time if several devices
// share it; a device does one after the other.
struct Port {
  std::string name;  // "node0", or "node0 nic1" where a host has several
  int host;          // index into Ports::hosts
  BytesPerSecond out, in;
};

// Devices in one host reach each other without their port. Between hosts, ports are what is scarce, as in section 3 of
// the paper, where each host has one. Inside a host each device is a host of its own, with a port to its neighbours.
struct Ports {
  std::vector<std::string> hosts;
  std::vector<Port> ports;
  std::map<int, int> port_of;  // device -> index into `ports`
  // From port to port, where a link between them is slower than both. Not known for more than 512 ports.
  std::map<std::pair<int, int>, BytesPerSecond> slower = {};
  bool hosts_are_devices                               = false;  // all in one node, or as in `inside`
  // All devices again, each as a host whose port leads to the other devices of its host. Null: no host has two devices.
  std::shared_ptr<const Ports> inside = nullptr;

  int port(int device) const { return port_of.at(device); }
  // By port, true: a single device uses it, which sends or receives but not both at once.
  std::vector<bool> half_duplex() const;
  // The speed at which one port sends to another that receives nothing else.
  BytesPerSecond pace(int from, int to) const;
  int host(int device) const { return nth(ports, port_of.at(device)).host; }
};

// Devices of the moves, which are indices into platform.devices(). A port is the link of kind `nic` over which a device
// reaches other hosts, or the slowest link of that route where it has no such link; devices that leave their host over
// the same link share a port. When all are in one node, each device counts as a host of its own, whose port is as fast
// as all its links to the others together; so it does in Ports::inside.
Ports ports_of(const platform::Platform& platform, const std::vector<Move>& moves);

// Without a platform: device d is in host host_of[d], each host has one port of this speed, and links inside hosts take
// no time.
Ports uniform_ports(const std::map<int, int>& host_of, BytesPerSecond speed);

}  // namespace foreflow::reshard
