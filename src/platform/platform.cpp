#include "foreflow/platform/platform.h"

#include <utility>

#include "foreflow/base/error.h"
#include "platform/graph_router.h"

namespace foreflow::platform {

FlopsPerSecond Device::peak(std::string_view dtype) const {
  if (const auto found = peaks.find(std::string(dtype)); found != peaks.end()) return found->second;
  const auto single = peaks.find("f32");
  if (single == peaks.end())
    throw Error(name, "no peak for \"" + std::string(dtype) + "\" and none for \"f32\" to fall back to");
  return single->second;
}

bool same_speed(const Device& a, const Device& b) {
  return a.kind == b.kind && a.memory_bandwidth == b.memory_bandwidth && a.peaks == b.peaks && a.launch == b.launch;
}

namespace {

Router look_up(size_t devices, std::vector<Route> routes) {
  FOREFLOW_CHECK(routes.size() == devices * devices, "a platform has one route for each pair of devices");
  const auto table = std::make_shared<const std::vector<Route>>(std::move(routes));
  return [table, devices](int from, int to) {
    return (*table)[static_cast<size_t>(from) * devices + static_cast<size_t>(to)];
  };
}

}  // namespace

Platform::Platform(std::string name, std::vector<Device> devices, std::vector<Link> links, Router router)
    : name_(std::move(name)), devices_(std::move(devices)), links_(std::move(links)), router_(std::move(router)) {}

Platform::Platform(std::string name, std::vector<Device> devices, std::vector<Link> links, std::vector<Route> routes)
    : name_(std::move(name)),
      devices_(std::move(devices)),
      links_(std::move(links)),
      router_(look_up(devices_.size(), std::move(routes))) {}

Platform::Platform(std::string name, std::vector<Device> devices, std::vector<Link> links, Graph graph)
    : name_(std::move(name)),
      devices_(std::move(devices)),
      links_(std::move(links)),
      graph_(std::make_shared<const Graph>(std::move(graph))),
      router_(make_router(graph_, devices_, links_, name_)) {}

Seconds Platform::step_latency(const Route& route) const {
  Seconds total = route.latency;
  for (const int link : route.links) total += links_[static_cast<size_t>(link)].step_latency;
  return total;
}

}  // namespace foreflow::platform
