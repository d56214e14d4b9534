#include "cost/hardware.h"

#include <algorithm>

#include "cost/shipped.h"
#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "foreflow/cost/device_calibration.h"

namespace foreflow::cost {

const std::vector<Processors>& processors() {
  static const std::vector<Processors> rows = {
#define FOREFLOW_ROW(...) {__VA_ARGS__},
#include "cost/laws/processors.def"
#undef FOREFLOW_ROW
  };
  return rows;
}

std::vector<std::string> calibrated_devices() {
  std::vector<std::string> names;
  for (const Processors& row : processors()) names.emplace_back(row.device);
  return names;
}

int processors_of_device(std::string_view device) {
  std::vector<std::string_view> names = stand_ins(device);
  names.insert(names.begin(), device);
  for (const std::string_view name : names) {
    for (const Processors& row : processors()) {
      if (row.device == name) return row.count;
    }
  }
  return 0;
}

const Processors& processors_of(const std::string& device, const std::string& where) {
  const auto found = std::find_if(processors().begin(), processors().end(),
                                  [&](const Processors& row) { return row.device == device; });
  if (found == processors().end())
    throw Error(where, "\"" + device + "\" has no laws; use " + list_or(calibrated_devices()));
  return *found;
}

FlopsPerSecond peak_of(const Processors& processors, std::string_view dtype) {
  for (const auto& [type, peak] : platform::devices().get(std::string(processors.device), "calibration").sheet.peaks) {
    if (type == dtype) return peak;
  }
  return FlopsPerSecond(0);
}

Hardware hardware_of(const platform::Device& device, std::string_view dtype, const Processors& processors) {
  return {device.peak(dtype).value(), device.memory_bandwidth.value(), static_cast<double>(processors.count),
          processors.cache * 1e6};
}

}  // namespace foreflow::cost
