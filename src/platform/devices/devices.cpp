#include <fmt/core.h>

#include <algorithm>

#include "foreflow/platform/data_sheet.h"
#include "platform/link_units.h"

namespace foreflow::platform {
namespace {

constexpr const char* kLaunchSource = "launch: 10 us, the default of DistIR";

std::string text_of(const DataSheet& sheet) {
  std::string text = fmt::format("{} at {}", format(sheet.memory), format(sheet.memory_bandwidth));
  for (const auto& [dtype, peak] : sheet.peaks) text += fmt::format(", {} {}", dtype, format(peak));
  const bool assumed = std::any_of(sheet.sources.begin(), sheet.sources.end(), [](const std::string& source) {
    return source.find("an assumption") != std::string::npos;
  });
  return text + (assumed ? "; in part an assumption" : "");
}

// clang-format off
std::vector<DataSheet> sheets() {
#define PEAKS(...) {__VA_ARGS__}
#define SOURCES(...) {__VA_ARGS__}
#define FOREFLOW_ROW(kind, memory, bandwidth, launch, nvlink, peaks, sources) \
  {kind, sources, memory, bandwidth, launch, peaks, nvlink},
  return {
#include "platform/devices/devices.def"
  };
#undef FOREFLOW_ROW
#undef SOURCES
#undef PEAKS
}
// clang-format on

std::vector<DeviceDef> device_rows() {
  std::vector<DeviceDef> all;
  for (DataSheet& sheet : sheets()) {
    std::string doc = text_of(sheet);
    all.push_back({sheet.kind, std::move(doc), std::move(sheet)});
  }
  return all;
}

}  // namespace

const Registry<DeviceDef>& devices() {
  static const Registry<DeviceDef> rows("device", "devices", device_rows());
  return rows;
}

}  // namespace foreflow::platform
