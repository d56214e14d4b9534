#include "cost/shipped.h"

#include <utility>

#include "foreflow/base/embedded_file.h"
#include "foreflow/platform/data_sheet.h"

namespace foreflow::cost {

const std::vector<DeviceCalibration>& shipped_calibrations() {
  static const std::vector<DeviceCalibration> rows = [] {
    std::vector<DeviceCalibration> made;
    for (const EmbeddedFile& file : calibration_files()) {
      const std::string name(file.path);
      const Json json = parse_json(file.text, name);
      made.push_back(device_calibration(JsonView(json, name)));
    }
    return made;
  }();
  return rows;
}

std::vector<std::string_view> stand_ins(std::string_view device) {
  using Row                          = std::pair<std::string_view, std::vector<std::string_view>>;
  static const std::vector<Row> rows = {
#define FOREFLOW_ROW(...) {__VA_ARGS__},
#include "cost/laws/stand_ins.def"
#undef FOREFLOW_ROW
  };
  for (const auto& [name, others] : rows) {
    if (name == platform::unchanged_kind(device)) return others;
  }
  return {};
}

}  // namespace foreflow::cost
