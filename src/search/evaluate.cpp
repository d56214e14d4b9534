#include "search/evaluate.h"

#include <fmt/core.h>

#include <algorithm>

namespace foreflow::search {
namespace {

std::string too_large(const report::DeviceSummary& device) {
  return fmt::format("does not fit in memory: {} needs {} of {}", device.name, format(device.peak_memory),
                     format(device.capacity));
}

double overflow_of(const report::DeviceSummary& device) { return device.peak_memory / device.capacity - 1; }

Prediction answer(const report::Summary& summary) {
  Prediction prediction;
  prediction.time               = summary.iteration_time;
  prediction.samples_per_second = summary.samples_per_second;
  for (const report::DeviceSummary& device : summary.devices) {
    prediction.memory = std::max(prediction.memory, device.peak_memory);
    if (device.fits) continue;
    if (prediction.why.empty()) prediction.why = too_large(device);
    prediction.overflow = std::max(prediction.overflow, overflow_of(device));
  }
  return prediction;
}

}  // namespace

std::string print(const Prediction& prediction) {
  Json json;
  json.set("why", prediction.why).set("time", prediction.time.value());
  json.set("throughput", prediction.samples_per_second).set("memory", prediction.memory.value());
  json.set("overflow", prediction.overflow).set("predicted", prediction.predicted);
  return json.dump_compact();
}

Prediction read_prediction(const std::string& text) {
  const Json json = parse_json(text, "prediction");
  const JsonView view(json, "prediction");
  return {view.at("why").as_string(),           Seconds(view.at("time").as_number()), view.at("throughput").as_number(),
          Bytes(view.at("memory").as_number()), view.at("overflow").as_number(),      view.at("predicted").as_bool()};
}

Prediction Predictor::predict(const scenario::Scenario& scenario) {
  try {
    return answer(scenario::run(scenario, sequential(scenario), platform_).summary);
  } catch (const Error& error) {
    Prediction prediction;
    prediction.why       = reason(error, scenario.file);
    prediction.predicted = false;
    return prediction;
  }
}

void Predictor::prepare(const scenario::Scenario& scenario) {
  try {
    sequential(scenario);
  } catch (const Error&) {
    return;  // predict will say why
  }
}

const scenario::Sequential& Predictor::sequential(const scenario::Scenario& scenario) {
  const std::pair key{scenario.strategy.global_batch, scenario.strategy.fuses_attention()};
  const auto found = built_.find(key);
  return found != built_.end() ? found->second : built_.emplace(key, scenario::build(scenario)).first->second;
}

bool is_about_strategy(const Error& error, const std::string& file) {
  return error.where().starts_with(file + ": $.strategy") || error.where().starts_with(file + ": $.placement");
}

std::string reason(const Error& error, const std::string& file) {
  const std::string prefix = file + ": $.strategy";
  if (!error.where().starts_with(prefix)) return error.what();
  const std::string key = error.where().substr(prefix.size());  // "" or ".tp"
  return key.empty() ? error.problem() : key.substr(1) + ": " + error.problem();
}

}  // namespace foreflow::search
