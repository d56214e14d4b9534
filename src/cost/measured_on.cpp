#include "cost/measured_on.h"

#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/text.h"
#include "foreflow/ir/fp8.h"
#include "foreflow/platform/data_sheet.h"

namespace foreflow::cost {
namespace {

// Returns true if one of the models has a data sheet that is not that of the device.
bool is_another(const std::string& models, const platform::Device& device) {
  const std::string_view kind = platform::unchanged_kind(device.kind);
  if (models.empty() || platform::devices().find(kind) == nullptr) return false;
  const std::vector<std::string> each = split(models, ',');
  return std::any_of(each.begin(), each.end(), [&](const std::string& model) {
    return !platform::may_be_called(kind, model) &&
           std::any_of(platform::devices().begin(), platform::devices().end(),
                       [&](const platform::DeviceDef& row) { return platform::may_be_called(row.name, model); });
  });
}

// The fastest units that may have done the arithmetic.
FlopsPerSecond fastest_peak(const Family& family, const Point& point, const platform::Device& device) {
  const FlopsPerSecond own = device.peak(family.dtype);
  if (family.dtype == "f32" && device.peaks.contains("tf32")) return std::max(own, device.peak("tf32"));
  const bool fp8 = point.signature.find(ir::kFp8) != std::string::npos && device.peaks.contains("f8");
  return fp8 ? std::max(own, device.peak("f8")) : own;
}

bool is_too_fast(const Family& family, const Point& point, const platform::Device& device) {
  constexpr Bytes kNoCache{1e9};
  if (point.flops / fastest_peak(family, point, device) > point.time) return true;
  return point.bytes >= kNoCache && point.bytes / device.memory_bandwidth > point.time;
}

}  // namespace

std::string assumption_of_times(const Calibration& calibration, const std::string& model,
                                const platform::Device& device) {
  int64_t all = 0, too_fast = 0;
  bool states_all = false, states_none = false;  // which device each was measured on
  for (const Family& family : calibration.families) {
    if (family.ranks > 1) continue;
    (family.device.empty() ? states_none : states_all) = true;
    if (!is_of(family, device.kind)) continue;
    for (const Point& point : family.points) {
      ++all;
      if (is_too_fast(family, point, device)) ++too_fast;
    }
  }
  std::string text;
  const bool stated = states_all && !states_none;
  if (!stated && is_another(model, device))
    text = "times that were measured on " + model + " are taken for " + device.kind;
  if (too_fast == 0) return text;
  return text + fmt::format("{}{} of {} measured times {} shorter than the peaks of {} allow", text.empty() ? "" : "; ",
                            too_fast, all, too_fast == 1 ? "is" : "are", device.kind);
}

}  // namespace foreflow::cost
