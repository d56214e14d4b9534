#include "foreflow/platform/data_sheet.h"

namespace foreflow::platform {
namespace {

constexpr std::string_view kChanged = " (changed)";

// Returns the name of a device after the change. `retimed`: the change affects the time of ops.
std::string name_after(const DeviceChange& change, const std::string& before, bool retimed) {
  if (!change.name.empty()) return change.name;
  return retimed && !before.ends_with(kChanged) ? before + std::string(kChanged) : before;
}

void set_peak(DataSheet& sheet, const std::string& dtype, FlopsPerSecond peak) {
  for (auto& [known, value] : sheet.peaks) {
    if (known != dtype) continue;
    value = peak;
    return;
  }
  sheet.peaks.emplace_back(dtype, peak);
}

}  // namespace

std::string_view unchanged_kind(std::string_view kind) {
  if (kind.ends_with(kChanged)) kind.remove_suffix(kChanged.size());
  return kind;
}

DataSheet changed(const DeviceChange& change, DataSheet sheet) {
  if (change.sheet) sheet = *change.sheet;
  const Device before = device_of(sheet);
  if (change.memory) sheet.memory = *change.memory;
  if (change.memory_bandwidth) sheet.memory_bandwidth = *change.memory_bandwidth;
  if (change.launch) sheet.launch = *change.launch;
  for (const auto& [dtype, peak] : change.peaks) set_peak(sheet, dtype, peak);
  if (change.nvlink_generation) sheet.nvlink_generation = *change.nvlink_generation;
  sheet.kind = name_after(change, sheet.kind, !same_speed(before, device_of(sheet)));
  return sheet;
}

Device changed(const DeviceChange& change, Device device) {
  DataSheet sheet{device.kind, {}, device.memory, device.memory_bandwidth, device.launch, {}, device.nvlink_generation};
  for (const auto& [dtype, peak] : device.peaks) sheet.peaks.emplace_back(dtype, peak);
  Device made = device_of(changed(change, std::move(sheet)));
  made.name   = std::move(device.name);
  made.node   = std::move(device.node);
  made.rail   = device.rail;
  made.cpu    = change.cpu.value_or(device.cpu);
  return made;
}

Device device_of(const DataSheet& sheet) {
  Device device;
  device.kind             = sheet.kind;
  device.memory           = sheet.memory;
  device.memory_bandwidth = sheet.memory_bandwidth;
  device.launch           = sheet.launch;
  for (const auto& [dtype, peak] : sheet.peaks) device.peaks[dtype] = peak;
  device.nvlink_generation = sheet.nvlink_generation;
  return device;
}

Platform with_devices(const Platform& platform, const DeviceChange& change) {
  std::vector<Device> devices = platform.devices();
  for (Device& device : devices) device = changed(change, std::move(device));
  if (platform.graph() != nullptr) return {platform.name(), std::move(devices), platform.links(), *platform.graph()};
  Router router = [before = platform](int from, int to) { return before.route(from, to); };
  return {platform.name(), std::move(devices), platform.links(), std::move(router)};
}

}  // namespace foreflow::platform
