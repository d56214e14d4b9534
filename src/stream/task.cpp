#include "foreflow/stream/task.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace foreflow::stream {
namespace {

using collective::Wire;

// Devices of one Device::node share a node.
collective::Group group_of(const platform::Platform& platform, const std::vector<int>& places) {
  collective::Group group;
  group.ranks = static_cast<int>(places.size());
  std::map<std::string_view, int> numbers;
  for (const int place : places) {
    const std::string_view node = platform.devices()[static_cast<size_t>(place)].node;
    group.node.push_back(numbers.emplace(node, static_cast<int>(numbers.size())).first->second);
  }
  return group;
}

// The slower of what is known and the route between two devices, if there is one.
void worsen(std::optional<Wire>& wire, const platform::Platform& platform, int from, int to) {
  const platform::Route& route = platform.route(from, to);
  if (route.links.empty()) return;
  std::map<int, int> times;
  for (const int link : route.links) ++times[link];
  Wire found{route.latency, platform.links()[static_cast<size_t>(route.links.front())].bandwidth};
  for (const auto& [link, count] : times)
    found.bandwidth = std::min(found.bandwidth, platform.links()[static_cast<size_t>(link)].bandwidth / count);
  if (wire) {
    found.latency   = std::max(found.latency, wire->latency);
    found.bandwidth = std::min(found.bandwidth, wire->bandwidth);
  }
  wire = found;
}

// Once around `devices`, from each to the next.
void worsen_around(std::optional<Wire>& wire, const platform::Platform& platform, const std::vector<int>& devices) {
  for (size_t i = 0; i < devices.size(); ++i) worsen(wire, platform, devices[i], devices[(i + 1) % devices.size()]);
}

}  // namespace

collective::Task task_of(const platform::Platform& platform, collective::Kind kind, Bytes bytes,
                         const std::vector<int>& places) {
  collective::Task task{kind, group_of(platform, places), bytes, {}, {}};
  std::vector<std::vector<int>> members;  // by node
  std::vector<int> first;                 // of each node
  for (size_t rank = 0; rank < places.size(); ++rank) {
    const auto node = static_cast<size_t>(task.group.node[rank]);
    if (node == members.size()) {
      members.emplace_back();
      first.push_back(places[rank]);
    }
    members[node].push_back(places[rank]);
  }
  std::optional<Wire> near, far;
  for (const auto& devices : members) worsen_around(near, platform, devices);
  worsen_around(far, platform, first);
  const Wire instant{Seconds(0), BytesPerSecond(1)};  // nobody sends
  task.near = near.value_or(far.value_or(instant));
  task.far  = far.value_or(task.near);
  return task;
}

}  // namespace foreflow::stream
