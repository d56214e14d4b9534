#include "cli/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "foreflow/base/error.h"
#include "foreflow/base/escape.h"
#include "foreflow/scenario/axes.h"
#include "foreflow/scenario/run.h"

namespace foreflow::cli {

namespace {

void print_remark(const std::string& remark) {
  if (!remark.empty()) std::cerr << escape::terminal("foreflow: note: " + remark) << "\n";
}

}  // namespace

void remark_on_scales(const onnx::Imported& imported) { print_remark(onnx::scale_remark(imported)); }

void remark_on_opset(const std::string& path) { print_remark(onnx::opset_remark(path)); }

void remark_on_opsets(const scenario::Scenario& scenario) {
  if (scenario.workload.source == scenario::Workload::Source::onnx) remark_on_opset(scenario.workload.path);
  for (const scenario::Job& job : scenario.jobs) remark_on_opsets(job.scenario);
}

namespace {

void collect_models(const Json& json, bool is_model, std::set<std::string>& models) {
  if (const std::string* name = json.if_string(); name != nullptr && is_model) models.insert(*name);
  if (const auto* items = json.if_array()) {
    for (const Json& item : *items) collect_models(item, is_model, models);
  }
  if (const auto* members = json.if_object()) {
    for (const auto& [key, value] : *members) collect_models(value, key == "onnx", models);
  }
}

}  // namespace

void remark_on_opsets(const Json& source, const std::string& file) {
  std::set<std::string> models;
  collect_models(source, false, models);
  for (const std::string& model : models) remark_on_opset((std::filesystem::path(file).parent_path() / model).string());
}

namespace {

// The kinds of devices of a question's platforms, by whether their times follow from measurements.
using KindsByMeasured = std::map<bool, std::set<std::string>>;

// A question leaves strategies and placements open, on which prices of devices do not depend.
Json without_open_parts(const Json& source) {
  Json bare = Json(source).set("strategy", Json::object());
  if (source.find("placement") != nullptr) bare.set("placement", Json::object());
  return bare;
}

// Numbers of a platform and properties of its links do not say which devices there are.
bool may_change_devices(const scenario::Axis& axis) {
  return axis.keys.front() == "platform" && (axis.keys.size() == 1 || axis.keys[1] != "links") &&
         axis.values.front().if_int() == nullptr;
}

// The scenarios with one value each of the axes of the platform, one axis at a time, so that a product of long ones
// takes no time. A point that cannot be is left out; the answer tells it.
std::vector<scenario::Scenario> scenarios_of(const Json& source, const std::string& file) {
  const Json bare                        = without_open_parts(source);
  const std::vector<scenario::Axis> axes = scenario::axes(bare, file);
  std::vector<scenario::Scenario> all;
  for (size_t a = 0; a < axes.size(); ++a) {
    for (size_t value = 0; may_change_devices(axes[a]) && value < axes[a].values.size(); ++value) {
      std::vector<size_t> choice(axes.size());
      choice[a] = value;
      try {
        all.push_back(scenario::load(scenario::with_choice(bare, axes, choice), file));
      } catch (const Error&) {
      }
    }
  }
  return all;
}

KindsByMeasured kinds_of(const std::vector<scenario::Scenario>& scenarios) {
  KindsByMeasured kinds;
  std::vector<scenario::PlatformChoice> seen;
  for (const scenario::Scenario& one : scenarios) {
    scenario::PlatformChoice choice = one.platform;
    choice.changes                  = {};  // links do not change which devices there are
    choice.recipe.links             = {};
    if (one.cost.measures == nullptr || std::find(seen.begin(), seen.end(), choice) != seen.end()) continue;
    const scenario::PlatformRef platform = scenario::load_platform(choice);
    for (const platform::Device& device : platform->devices().kinds())
      kinds[one.cost.measures(device)].insert(device.kind);
    seen.push_back(std::move(choice));
  }
  return kinds;
}

// Empty if the question is wrong, which its answer tells.
KindsByMeasured kinds_of(const Json& source, const std::string& file) {
  try {
    return kinds_of(scenarios_of(source, file));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

void remark_on_data_sheets(const Json& source, const std::string& file) {
  if (source.if_object() == nullptr) return;
  const KindsByMeasured kinds = kinds_of(source, file);
  if (kinds.size() < 2) return;
  const std::set<std::string>& unmeasured = kinds.at(false);
  print_remark(fmt::format("{} {}, others from measurements; their times do not compare", fmt::join(unmeasured, ", "),
                           unmeasured.size() == 1 ? "has no calibration and is priced from its data sheet"
                                                  : "have no calibration and are priced from their data sheets"));
}

namespace {

// The devices of a scenario or of its jobs together; nothing if they are not many.
std::optional<int64_t> many_devices(const scenario::Scenario& scenario) {
  constexpr int64_t kMany = 1000;
  int64_t devices         = scenario.jobs.empty() ? scenario.strategy.devices() : 0;
  for (const scenario::Job& job : scenario.jobs) devices += job.scenario.strategy.devices();
  return devices > kMany ? std::optional(devices) : std::nullopt;
}

}  // namespace

void remark_on_reports_of_many(const scenario::Scenario& scenario, const std::vector<std::string>& reports) {
  const auto devices = many_devices(scenario);
  if (!devices || reports.empty()) return;
  print_remark(fmt::format("{}: each of {} devices is simulated and told one by one; --devices D1-D8 tells those only",
                           fmt::join(reports, ", "), *devices));
}

void remark_on_observing_many(const scenario::Scenario& scenario) {
  const auto devices = many_devices(scenario);
  if (!devices) return;
  print_remark(
      fmt::format("--observe: each of {} devices is simulated in each microbatch, whatever --devices says; fewer "
                  "replicas or microbatches take less time and memory",
                  *devices));
}

void remark_on_lowering_many(const scenario::Scenario& scenario) {
  const auto devices                 = many_devices(scenario);
  const scenario::Strategy& strategy = scenario.strategy;
  if (!devices) return;
  const int64_t fewest = strategy.replicas_sharing();
  const bool has_fewer = fewest < strategy.dp && strategy.global_batch > 0;
  const std::string less =
      has_fewer
          ? fmt::format("; replicas do the same, so strategy.dp {} with strategy.global_batch {} writes what all do",
                        fewest, strategy.global_batch / strategy.dp * fewest)
          : "";
  print_remark(fmt::format("lower: writes the programs of {} devices{}", *devices, less));
}

}  // namespace foreflow::cli
