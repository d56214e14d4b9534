#include "search/evaluate.h"

#include <fmt/core.h>

#include <algorithm>

namespace foreflow::search {
namespace {

Refusal too_large(const report::DeviceSummary& device) {
  return {Cause::memory, "",
          fmt::format("does not fit in memory: {} needs {} of {}", device.name, format(device.peak_memory),
                      format(device.capacity))};
}

double overflow_of(const report::DeviceSummary& device) { return device.peak_memory / device.capacity - 1; }

Prediction answer(const report::Summary& summary) {
  Prediction prediction;
  prediction.time               = summary.iteration_time;
  prediction.samples_per_second = summary.samples_per_second;
  for (const report::DeviceSummary& device : summary.devices) {
    prediction.memory = std::max(prediction.memory, device.peak_memory);
    if (device.fits) continue;
    if (!prediction.refusal) prediction.refusal = too_large(device);
    prediction.overflow = std::max(prediction.overflow, overflow_of(device));
  }
  return prediction;
}

Prediction unpredicted(Refusal refusal) {
  Prediction prediction;
  prediction.refusal   = std::move(refusal);
  prediction.predicted = false;
  return prediction;
}

}  // namespace

Json json_of(const Refusal& refusal) {
  Json json;
  json.set("cause", name(refusal.cause)).set("place", refusal.place).set("why", refusal.why);
  return json.set("key", refusal.key);
}

Refusal read_refusal(const JsonView& json) {
  return {find_cause(json.at("cause").as_string(), json.at("cause").where()), json.at("place").as_string(),
          json.at("why").as_string(), json.at("key").as_string()};
}

std::string print(const Prediction& prediction) {
  Json json;
  json.set("refusal", prediction.refusal ? json_of(*prediction.refusal) : Json()).set("time", prediction.time.value());
  json.set("throughput", prediction.samples_per_second).set("memory", prediction.memory.value());
  json.set("overflow", prediction.overflow).set("predicted", prediction.predicted);
  return json.dump_compact();
}

Prediction read_prediction(const std::string& text) {
  const Json json = parse_json(text, "prediction");
  const JsonView view(json, "prediction");
  std::optional<Refusal> refusal;
  if (!view.at("refusal").json().is_null()) refusal = read_refusal(view.at("refusal"));
  return {std::move(refusal),
          Seconds(view.at("time").as_number()),
          view.at("throughput").as_number(),
          Bytes(view.at("memory").as_number()),
          view.at("overflow").as_number(),
          view.at("predicted").as_bool()};
}

Prediction Predictor::predict(const scenario::Scenario& scenario) {
  try {
    const auto program = sequential(scenario);
    if (!program) return unpredicted(program.refusal());
    const auto outcome = scenario::try_run(scenario, **program, platform_, {}, &shared_);
    if (!outcome) return unpredicted(outcome.refusal());
    return answer(outcome->summary);
  } catch (const Error& error) {  // of the engine, say: other points may do
    return unpredicted({Cause::run, error.where(), error.problem()});
  }
}

void Predictor::prepare(const scenario::Scenario& scenario) {
  try {
    sequential(scenario);
  } catch (const Error&) {
    return;  // predict will say why
  }
}

Expected<const scenario::Sequential*> Predictor::sequential(const scenario::Scenario& scenario) {
  const std::pair key{scenario.strategy.global_batch, scenario.strategy.fuses_attention()};
  const auto found = built_.find(key);
  if (found != built_.end()) return &found->second;
  auto sequential = scenario::try_build(scenario);
  if (!sequential) return sequential.refusal();
  return &built_.emplace(key, *std::move(sequential)).first->second;
}

}  // namespace foreflow::search
