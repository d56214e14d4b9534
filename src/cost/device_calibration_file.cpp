#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cost/bounds.h"
#include "cost/hardware.h"
#include "foreflow/cost/device_calibration.h"

namespace foreflow::cost {
namespace {

// Errors are for people; constants have four digits (src/cost/fit.cpp).
double to_digits(double value, double digits) { return std::round(value * digits) / digits; }
Json share(double value) { return to_digits(value, 1e4); }

Json value_of(const Constant& constant, double value) {
  switch (constant.unit) {
    case Unit::seconds: return fmt::format("{:.4g}s", value);
    case Unit::bandwidth: return fmt::format("{:.4g}Bps", value);
    case Unit::number: return value;
  }
  return {};
}

double read_value(const Constant& constant, const JsonView& json) {
  switch (constant.unit) {
    case Unit::seconds: return positive_time(json).value();
    case Unit::bandwidth: return positive_bandwidth(json).value();
    case Unit::number: break;
  }
  const double value = json.as_number();
  if (!(value > 0) || value > 1e12) json.fail("is no number above 0 and below 1e12");
  return value;
}

Json json_of(const FittedLaw& fitted) {
  const LawDef& law = laws().get(fitted.law, "calibration");
  Json constants    = Json::object();
  for (size_t i = 0; i < law.constants.size(); ++i) {
    if (!fitted.determined[i]) continue;
    constants.set(std::string(law.constants[i].name), Json::object()
                                                          .set("value", value_of(law.constants[i], fitted.constants[i]))
                                                          .set("meaning", std::string(law.constants[i].meaning)));
  }
  Json json = Json::object().set("law", fitted.law).set("of", fitted.of).set("source", fitted.source);
  json.set("points", static_cast<int64_t>(fitted.points)).set("error", share(fitted.error));
  json.set("held_out_error", share(fitted.held_out));
  if (fitted.short_error) json.set("error_below_1MB", share(*fitted.short_error));
  if (fitted.long_error) json.set("error_from_1MB", share(*fitted.long_error));
  return json.set("constants", std::move(constants));
}

FittedLaw read_law(const JsonView& json) {
  json.allow_only(
      {"law", "of", "source", "points", "error", "held_out_error", "error_below_1MB", "error_from_1MB", "constants"});
  FittedLaw fitted;
  fitted.law        = json.at("law").as_string();
  fitted.of         = json.at("of").as_string();
  fitted.source     = json.string_or("source", "");
  const LawDef& law = laws().get(fitted.law, json.at("law").where());
  std::vector<std::string> names;
  for (const Constant& constant : law.constants) names.emplace_back(constant.name);
  const JsonView constants = json.at("constants");
  constants.allow_only(names);
  for (const Constant& constant : law.constants) {
    const bool has = constants.has(constant.name);
    fitted.determined.push_back(has);
    fitted.constants.push_back(has ? read_value(constant, constants.at(constant.name).at("value")) : constant.start);
  }
  const auto number = [&](std::string_view key) { return json.has(key) ? json.at(key).as_number() : 0; };
  fitted.points     = static_cast<size_t>(std::clamp(number("points"), 0.0, 1e12));
  fitted.error      = number("error");
  fitted.held_out   = number("held_out_error");
  return fitted;
}

}  // namespace

Json to_json(const DeviceCalibration& calibration) {
  Json laws = Json::array();
  for (const FittedLaw& fitted : calibration.laws) laws.push(json_of(fitted));
  Json files = Json::array();
  for (const std::string& file : calibration.files) files.push(file);
  Json json = Json::object()
                  .set("source", "`foreflow calibrate --device " + calibration.device + "`, fitted to the files below")
                  .set("model", "calibrated")
                  .set("device", calibration.device);
  return json.set("files", std::move(files)).set("laws", std::move(laws));
}

DeviceCalibration device_calibration(const JsonView& json) {
  DeviceCalibration calibration{json.at("device").as_string(), {}, {}};
  if (json.has("files")) {
    for (const JsonView& file : json.at("files").items()) calibration.files.push_back(file.as_string());
  }
  for (const JsonView& law : json.at("laws").items()) calibration.laws.push_back(read_law(law));
  return calibration;
}

}  // namespace foreflow::cost
