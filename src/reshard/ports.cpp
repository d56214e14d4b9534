#include "foreflow/reshard/ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "foreflow/base/nth.h"
#include "foreflow/platform/link_kinds.h"

namespace foreflow::reshard {
namespace {

constexpr size_t kMostPortsInPairs = 512;
constexpr BytesPerSecond kAnySpeed(std::numeric_limits<double>::infinity());

const platform::Link& link(const platform::Platform& platform, int index) {
  return platform.links().like(static_cast<size_t>(index));
}

// The link that decides the speed of a route at the end of its device: its network card, or else the slowest link.
int port_link(const platform::Platform& platform, const std::vector<int>& links) {
  const auto card =
      std::find_if(links.begin(), links.end(), [&](int l) { return platform::is_card(link(platform, l).kind); });
  if (card != links.end()) return *card;
  return *std::min_element(links.begin(), links.end(),
                           [&](int a, int b) { return link(platform, a).payload() < link(platform, b).payload(); });
}

std::vector<int> devices_of(const std::vector<Move>& moves) {
  std::set<int> devices;
  for (const Move& move : moves) {
    devices.insert(move.from.mesh.devices.begin(), move.from.mesh.devices.end());
    devices.insert(move.to.mesh.devices.begin(), move.to.mesh.devices.end());
  }
  return {devices.begin(), devices.end()};
}

// The speed at which a device exchanges with others of its node: that of all distinct links at its end together. A
// route without links limits nothing.
BytesPerSecond speed_inside(const platform::Platform& platform, const std::vector<int>& devices, int device,
                            bool leaving) {
  std::set<int> links;
  for (const int other : devices) {
    if (other == device) continue;
    auto route = leaving ? platform.route(device, other).links : platform.route(other, device).links;
    if (route.empty()) return kAnySpeed;
    if (!leaving) std::reverse(route.begin(), route.end());
    links.insert(port_link(platform, route));
  }
  BytesPerSecond speed;
  for (const int one : links) speed += link(platform, one).payload();
  return links.empty() ? BytesPerSecond(1) : speed;  // a device alone exchanges nothing
}

// Finds the ports of devices one after the other.
class PortFinder {
 public:
  PortFinder(const platform::Platform& platform, std::vector<int> devices)
      : platform_(platform), devices_(std::move(devices)) {}

  Ports find() {
    const auto leaves        = [&](int device) { return platform_.node(device) != platform_.node(devices_.front()); };
    const bool inside        = std::none_of(devices_.begin(), devices_.end(), leaves);
    ports_.hosts_are_devices = inside;
    for (const int device : devices_) inside ? add_alone(device) : add(device);
    for (Port& port : ports_.ports) {
      if (ports_of_host_[port.host] == 1) port.name = nth(ports_.hosts, port.host);
    }
    return std::move(ports_);
  }

 private:
  // In one node each device counts as a host.
  void add_alone(int device) {
    const auto host = static_cast<int>(ports_.hosts.size());
    ports_.hosts.push_back(nth(platform_.devices(), device).name);
    ports_.ports.push_back({ports_.hosts.back(), host, speed_inside(platform_, devices_, device, true),
                            speed_inside(platform_, devices_, device, false)});
    ports_.port_of.emplace(device, host);
  }

  void add(int device) {
    const auto [found, added] = hosts_.emplace(platform_.node(device), static_cast<int>(ports_.hosts.size()));
    const int host            = found->second;
    if (added) ports_.hosts.push_back(nth(platform_.devices(), device).node);
    const int other    = *std::find_if(devices_.begin(), devices_.end(),
                                       [&](int peer) { return platform_.node(peer) != platform_.node(device); });
    const auto leaving = platform_.route(device, other).links;
    auto arriving      = platform_.route(other, device).links;
    std::reverse(arriving.begin(), arriving.end());
    const int card            = port_link(platform_, leaving);
    const auto [known, first] = numbers_.emplace(std::pair(host, card), static_cast<int>(ports_.ports.size()));
    if (first) {
      ports_.ports.push_back({fmt::format("{} nic{}", nth(ports_.hosts, host), ports_of_host_[host]++), host,
                              link(platform_, card).payload(),
                              link(platform_, port_link(platform_, arriving)).payload()});
    }
    ports_.port_of.emplace(device, known->second);
  }

  const platform::Platform& platform_;
  std::vector<int> devices_;
  Ports ports_;
  std::map<int, int> hosts_;                    // node of the platform -> host
  std::map<std::pair<int, int>, int> numbers_;  // host and card -> port
  std::map<int, int> ports_of_host_;
};

// Returns true if a link that is no card is slower than the fastest card: most machines have none, and need no look at
// pairs. Of more ports than kMostPortsInPairs there are too many pairs.
bool has_slow_core(const platform::Platform& platform, const Ports& ports) {
  BytesPerSecond fastest;
  for (const Port& port : ports.ports) fastest = std::max({fastest, port.out, port.in});
  const auto& kinds = platform.links().kinds();
  return ports.ports.size() <= kMostPortsInPairs &&
         std::any_of(kinds.begin(), kinds.end(), [&](const platform::Link& one) {
           return !platform::is_card(one.kind) && one.payload() < fastest;
         });
}

std::map<std::pair<int, int>, BytesPerSecond> slower_pairs(const platform::Platform& platform, const Ports& ports) {
  std::map<int, int> device_of;  // one of each port
  for (const auto& [device, port] : ports.port_of) device_of.emplace(port, device);
  std::map<std::pair<int, int>, BytesPerSecond> slower;
  for (const auto& [from, sender] : device_of) {
    for (const auto& [to, receiver] : device_of) {
      if (ports.host(sender) == ports.host(receiver)) continue;
      BytesPerSecond slowest = ports.pace(from, to);
      for (const int crossed : platform.route(sender, receiver).links)
        slowest = std::min(slowest, link(platform, crossed).payload());
      if (slowest < ports.pace(from, to)) slower.emplace(std::pair(from, to), slowest);
    }
  }
  return slower;
}

Ports ports_of_devices(const platform::Platform& platform, std::vector<int> devices) {
  Ports ports = PortFinder(platform, std::move(devices)).find();
  if (has_slow_core(platform, ports)) ports.slower = slower_pairs(platform, ports);
  return ports;
}

// Appends the ports of other devices, in other hosts.
void append(Ports& ports, const Ports& more) {
  const auto host = static_cast<int>(ports.hosts.size()), port = static_cast<int>(ports.ports.size());
  ports.hosts.insert(ports.hosts.end(), more.hosts.begin(), more.hosts.end());
  for (Port one : more.ports) {
    one.host += host;
    ports.ports.push_back(std::move(one));
  }
  for (const auto& [device, own] : more.port_of) ports.port_of.emplace(device, own + port);
  for (const auto& [pair, speed] : more.slower)
    ports.slower.emplace(std::pair(pair.first + port, pair.second + port), speed);
}

// Each device as a host among those of its node.
std::shared_ptr<const Ports> ports_inside(const platform::Platform& platform, const std::vector<int>& devices) {
  std::map<int, std::vector<int>> of_node;
  for (const int device : devices) of_node[platform.node(device)].push_back(device);
  if (of_node.size() == 1 || of_node.size() == devices.size()) return nullptr;
  auto inside               = std::make_shared<Ports>();
  inside->hosts_are_devices = true;
  for (const auto& [node, own] : of_node) append(*inside, ports_of_devices(platform, own));
  return inside;
}

}  // namespace

std::vector<bool> Ports::half_duplex() const {
  std::vector<int> devices(ports.size(), 0);
  for (const auto& [device, port] : port_of) ++nth(devices, port);
  std::vector<bool> result;
  for (const int count : devices) result.push_back(count == 1);
  return result;
}

BytesPerSecond Ports::pace(int from, int to) const {
  const BytesPerSecond ends = std::min(nth(ports, from).out, nth(ports, to).in);
  const auto known          = slower.find({from, to});
  return known == slower.end() ? ends : known->second;
}

Ports ports_of(const platform::Platform& platform, const std::vector<Move>& moves) {
  const std::vector<int> devices = devices_of(moves);
  Ports ports                    = ports_of_devices(platform, devices);
  ports.inside                   = ports_inside(platform, devices);
  return ports;
}

Ports uniform_ports(const std::map<int, int>& host_of, BytesPerSecond speed) {
  Ports result, inside;
  std::map<int, int> numbers;
  for (const auto& [device, host] : host_of) {
    const auto [known, added] = numbers.emplace(host, static_cast<int>(result.hosts.size()));
    if (added) {
      result.hosts.push_back(fmt::format("node{}", host));
      result.ports.push_back({result.hosts.back(), known->second, speed, speed});
    }
    result.port_of.emplace(device, known->second);
    const auto own = static_cast<int>(inside.hosts.size());
    inside.hosts.push_back(fmt::format("device{}", device));
    inside.ports.push_back({inside.hosts.back(), own, kAnySpeed, kAnySpeed});
    inside.port_of.emplace(device, own);
  }
  inside.hosts_are_devices = true;
  result.inside            = std::make_shared<Ports>(std::move(inside));
  return result;
}

}  // namespace foreflow::reshard
