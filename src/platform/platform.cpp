#include "foreflow/platform/platform.h"

#include <utility>

#include "foreflow/base/error.h"

namespace foreflow::platform {

FlopsPerSecond Device::peak(std::string_view dtype) const {
  const auto found = peaks.find(std::string(dtype));
  return found == peaks.end() ? peaks.at("f32") : found->second;
}

Platform::Platform(std::string name, std::vector<Device> devices, std::vector<Link> links, std::vector<Route> routes)
    : name_(std::move(name)), devices_(std::move(devices)), links_(std::move(links)), routes_(std::move(routes)) {
  FOREFLOW_CHECK(routes_.size() == devices_.size() * devices_.size(),
                 "a platform has one route for every ordered pair of devices");
}

}  // namespace foreflow::platform
