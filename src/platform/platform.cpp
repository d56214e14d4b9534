#include "foreflow/platform/platform.h"

#include "foreflow/base/error.h"

namespace foreflow::platform {

FlopsPerSecond Device::peak(std::string_view dtype) const {
  if (const auto found = peaks.find(std::string(dtype)); found != peaks.end()) return found->second;
  const auto single = peaks.find("f32");
  if (single == peaks.end())
    throw Error(name, "no peak for \"" + std::string(dtype) + "\" and none for \"f32\" to fall back to");
  return single->second;
}

Platform::Platform(std::string name, std::vector<Device> devices, std::vector<Link> links, std::vector<Route> routes)
    : name_(std::move(name)), devices_(std::move(devices)), links_(std::move(links)), routes_(std::move(routes)) {
  FOREFLOW_CHECK(routes_.size() == devices_.size() * devices_.size(),
                 "a platform has one route for each pair of devices");
}

}  // namespace foreflow::platform
