// Checks that the routes of every zone connect all devices.
#include <fmt/core.h>

#include <map>
#include <set>

#include "foreflow/base/error.h"
#include "platform/files/document.h"

namespace foreflow::platform {
namespace {

using ZoneGraph = std::map<std::string, std::set<std::string>>;

std::string first_host(const ZoneSpec& zone) {
  if (!zone.hosts.empty()) return zone.hosts.front();
  for (const ZoneSpec& child : zone.zones) {
    if (std::string host = first_host(child); !host.empty()) return host;
  }
  return "";
}

// The members that can be reached from each member. In a Full zone only declared routes connect members.
ZoneGraph reachable(const ZoneSpec& zone) {
  ZoneGraph next;
  for (const RouteSpec& route : zone.routes) next[route.from].insert(route.to);
  if (zone.routing == "Full" || zone.routing == "None") return next;
  ZoneGraph all;
  for (const auto& [start, unused] : next) {
    std::vector<std::string> frontier = {start};
    while (!frontier.empty()) {
      const std::string at = frontier.back();
      frontier.pop_back();
      for (const std::string& to : next[at]) {
        if (all[start].insert(to).second) frontier.push_back(to);
      }
    }
  }
  return all;
}

// `gateways`: through which members of `zone` messages leave it; `outside`: some device that they go to.
void check_zone(const ZoneSpec& zone, const std::set<std::string>& gateways, const std::string& outside) {
  const ZoneGraph reach = reachable(zone);
  const auto require    = [&](const std::string& from, const std::string& to, const std::string& from_device,
                           const std::string& to_device) {
    const auto found = reach.find(from);
    if (from == to || (found != reach.end() && found->second.contains(to))) return;
    throw Error(
           zone.where,
           fmt::format("no route from device \"{}\" to device \"{}\": zone \"{}\" needs a route from \"{}\" to \"{}\"",
                       from_device, to_device, zone.id, from, to));
  };
  std::map<std::string, std::string> devices;  // member -> a device in it
  for (const std::string& host : zone.hosts) devices[host] = host;
  for (const ZoneSpec& child : zone.zones) {
    if (const std::string host = first_host(child); !host.empty()) devices[child.id] = host;
  }
  for (const auto& [from, from_device] : devices) {
    for (const auto& [to, to_device] : devices) require(from, to, from_device, to_device);
  }
  for (const std::string& host : zone.hosts) {
    for (const std::string& gateway : gateways) {
      require(host, gateway, host, outside);
      require(gateway, host, outside, host);
    }
  }
  for (const ZoneSpec& child : zone.zones) {
    std::set<std::string> doors;
    for (const RouteSpec& route : zone.routes) {
      if (route.from == child.id) doors.insert(route.gateway_from);
      if (route.to == child.id) doors.insert(route.gateway_to);
    }
    std::string other = outside;
    for (const auto& [member, device] : devices) {
      if (member != child.id) other = device;
    }
    if (!other.empty()) check_zone(child, doors, other);
    if (other.empty()) check_zone(child, {}, other);
  }
}

}  // namespace

void check_routed(const ZoneSpec& root) { check_zone(root, {}, ""); }

}  // namespace foreflow::platform
