#include "foreflow/cost/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "foreflow/base/text.h"

namespace foreflow::cost {

namespace {

constexpr const char* kOverhead = "send_overhead";

std::string overhead_with(const JsonView& table, int devices) {
  std::string found = "0s";
  int largest       = 0;
  for (const auto& [words, overhead] : table.members()) {
    const int number = parse_number<int>(words).value_or(0);
    if (number < 2) table.fail("is a quantity, or a table by numbers of devices: {\"2\": \"1ms\", \"4\": \"10ms\"}");
    if (number > devices || number < largest) continue;
    largest = number;
    found   = overhead.as_string();
  }
  return found;
}

}  // namespace

std::string_view default_model(const Json& parameters) {
  constexpr std::string_view kCalibrated = "calibrated", kRoofline = "roofline";
  const auto* stated = parameters.if_object();
  if (stated == nullptr) return kCalibrated;
  const Keys& known     = cost_models().get(kCalibrated, "cost").keys;
  const auto is_strange = [&](const auto& member) {
    return std::none_of(known.begin(), known.end(), [&](const KeyDef& key) { return key.name == member.first; });
  };
  return std::any_of(stated->begin(), stated->end(), is_strange) ? kRoofline : kCalibrated;
}

CostModel make_model(const JsonView& parameters, int devices) {
  const std::string name    = parameters.string_or("model", std::string(default_model(parameters.json())));
  const std::string where   = parameters.has("model") ? parameters.at("model").where() : parameters.where();
  const CostModelDef& model = cost_models().get(name, where);
  const bool by_devices     = parameters.has(kOverhead) && parameters.json().find(kOverhead)->if_object() != nullptr;
  if (!by_devices) return model.make(parameters);
  Json chosen = parameters.json();
  chosen.set(kOverhead, overhead_with(parameters.at(kOverhead), devices));
  return model.make(JsonView(chosen, parameters.file()));
}

CostModel load_model(const std::string& path, const Json& overrides, int devices) {
  const Json file = parse_json(read_file(path), path);
  const JsonView calibration(file, path);
  if (!calibration.has("model") && calibration.has("workload"))
    calibration.fail("is a scenario, no calibration; `foreflow calibrate` makes one of measurements");
  if (!calibration.has("model")) calibration.fail("a calibration file names its cost \"model\"");
  Json merged = Json::object();
  for (const auto& [key, value] : calibration.members()) {
    if (key != "source") merged.set(key, value.json());
  }
  for (const auto& [key, value] : JsonView(overrides, path).members()) {
    if (key != "model") merged.set(key, value.json());
  }
  return make_model(JsonView(merged, path), devices);
}

}  // namespace foreflow::cost
