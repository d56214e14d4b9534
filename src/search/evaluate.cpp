#include "search/evaluate.h"

#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/memory.h"

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

Json times_of(const Spread& spread) {
  return Json(Json::Array{spread.undisturbed.value(), spread.mean.value(), spread.p95.value()});
}

std::optional<Spread> read_spread(const JsonView& json) {
  if (json.json().is_null()) return std::nullopt;
  const auto items = json.items();
  if (items.size() != 3) json.fail("is not three times");
  return Spread{Seconds(items[0].as_number()), Seconds(items[1].as_number()), Seconds(items[2].as_number())};
}

// Releases free memory when a program has been lowered. It is in small pieces then, so all memory that the simulation
// needs would come on top.
void make_room(size_t step) {
  if (step == scenario::kLowered) release_free_memory();
}

}  // namespace

Prediction unpredicted(Refusal refusal) {
  Prediction prediction;
  prediction.refusal   = std::move(refusal);
  prediction.predicted = false;
  return prediction;
}

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
  if (prediction.spread) json.set("spread", times_of(*prediction.spread));
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
          view.at("predicted").as_bool(),
          view.has("spread") ? read_spread(view.at("spread")) : std::nullopt};
}

Prediction judged(Prediction prediction, Risk risk) {
  if (!prediction.spread) return prediction;
  const Seconds time = at_risk(*prediction.spread, risk);
  prediction.samples_per_second *= prediction.time / time;
  prediction.time = time;
  return prediction;
}

Prediction Predictor::predict(const ReadPoint& point) {
  std::vector<Seconds> times;
  Prediction prediction = predict(point, worlds_.count, times);
  if (!times.empty()) prediction.spread = spread_of(prediction.time, std::move(times));
  return prediction;
}

std::vector<Seconds> Predictor::in_first_worlds(const ReadPoint& point, size_t count) {
  std::vector<Seconds> times;
  predict(point, count, times);
  return times;
}

Prediction Predictor::predict(const ReadPoint& point, size_t count, std::vector<Seconds>& times) {
  if (point.cluster != of_) shared_.clear();
  of_                              = point.cluster;
  scenario::Scenario scenario      = *point.scenario;
  scenario.simulation.owns_process = owns_process_;
  try {
    const auto program = sequential(scenario);
    if (!program) return unpredicted(program.refusal());
    auto& shared = shared_[part_text(scenario, "workload") + part_text(scenario, "cost")];
    const auto outcome =
        scenario::try_run(scenario, **program, point.cluster->platform, make_room, &shared, report::Detail::devices);
    if (!outcome) return unpredicted(outcome.refusal());
    Prediction prediction = answer(outcome->summary);
    if (count > 0 && !prediction.refusal) times = times_in_worlds(point, **program, count);
    return prediction;
  } catch (const Error& error) {  // of the engine, say: other points may do
    return unpredicted({Cause::run, error.where(), error.problem()});
  }
}

std::vector<Seconds> Predictor::times_in_worlds(const ReadPoint& point, const scenario::Sequential& program,
                                                size_t count) const {
  const platform::Platform& platform = point.platform();
  scenario::Scenario world           = scenario::resolve(*point.scenario, program, platform).value();
  world.simulation.owns_process      = owns_process_;
  world.simulation.makespan          = true;
  const auto lowered                 = scenario::lower_scenario(world, program, platform);
  std::optional<stream::Program> whole;  // where computes differ by chance, nothing can be simulated once for several
  if (worlds_.distribution.planned.jitter.amplitude > 0) whole = stream::expand(lowered.compact);
  std::vector<Seconds> times;
  for (uint64_t seed = 1; seed <= count; ++seed) {
    world.simulation.disturbances = disturbances_of(worlds_, seed, platform);
    const auto& options           = world.simulation;
    times.push_back(whole ? world.engine->run(*whole, platform, options).makespan
                          : world.engine->run(lowered.compact, platform, options).timeline.makespan);
  }
  return times;
}

void Predictor::prepare(const scenario::Scenario& scenario) {
  try {
    sequential(scenario);
  } catch (const Error&) {
    return;  // predict will say why
  }
}

Expected<const scenario::Sequential*> Predictor::sequential(const scenario::Scenario& scenario) {
  std::string key  = scenario::build_key(scenario);
  const auto found = built_.find(key);
  if (found != built_.end()) return &found->second;
  auto sequential = scenario::try_build(scenario);
  if (!sequential) return sequential.refusal();
  return &built_.emplace(std::move(key), *std::move(sequential)).first->second;
}

}  // namespace foreflow::search
