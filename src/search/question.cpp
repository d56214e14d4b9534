#include "search/question.h"

#include <algorithm>

namespace foreflow::search {
namespace {

// The platform is no axis; the scenario that says so has no strategy that could be wrong.
scenario::PlatformRef platform_of(const Json& source, const std::string& file) {
  Json bare = Json(source).set("strategy", Json::object());
  if (source.find("placement") != nullptr) bare.set("placement", Json::object());
  const scenario::Scenario scenario = scenario::load(bare, file);
  scenario::check_one_job(scenario);
  return scenario::load_platform(scenario.platform);
}

// As the scenario understood it, then what else the point says.
Json strategy_json(const ReadPoint& point) {
  const scenario::Strategy& strategy = point.scenario->strategy;
  Json json;
  json.set("dp", strategy.dp).set("tp", strategy.tp).set("pp", strategy.pp).set("microbatches", strategy.microbatches);
  if (strategy.global_batch > 0) json.set("global_batch", strategy.global_batch);
  json.set("schedule", strategy.schedule->name);
  const Json said = strategy_of(point.point);
  for (const auto& [key, value] : *said.if_object()) {
    if (json.find(key) == nullptr && key != "microbatch_size") json.set(key, value);
  }
  return json;
}

}  // namespace

Question::Question(const Json& source, const std::string& file, const Options& options)
    : platform_(platform_of(source, file)), space_(source, file, *platform_), engine_(options.engine) {}

ReadPoint Question::read(const Json& point) const {
  ReadPoint read{point, std::nullopt, ""};
  try {
    scenario::Scenario scenario = scenario::load(space_.scenario(point), space_.file());
    scenario::check_devices(scenario, *platform_);
    if (engine_ != nullptr) scenario.engine = engine_;
    read.scenario = std::move(scenario);
  } catch (const Error& error) {
    if (!is_about_strategy(error, space_.file())) throw;
    read.why = reason(error, space_.file());
  }
  return read;
}

Bytes largest_memory(const platform::Platform& platform) {
  Bytes most;
  for (const platform::Device& device : platform.devices()) most = std::max(most, device.memory);
  return most;
}

Infeasible infeasible(const Json& point, std::string why) {
  return {strategy_of(point), placement_of(point), std::move(why)};
}

Candidate candidate(const ReadPoint& point, const Prediction& prediction) {
  return {strategy_json(point), placement_of(point.point), prediction.time, prediction.samples_per_second,
          prediction.memory};
}

void add(Result& result, const ReadPoint& point, const Prediction& prediction) {
  if (prediction.predicted) ++result.evaluated;
  if (prediction.why.empty()) {
    result.ranked.push_back(candidate(point, prediction));
  } else {
    result.infeasible.push_back(infeasible(point.point, prediction.why));
  }
}

}  // namespace foreflow::search
