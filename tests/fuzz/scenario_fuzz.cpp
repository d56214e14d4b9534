// Scenario JSON: parse, load, and the whole chain on the analytic engine where the sizes are small. No file is read.
#include <algorithm>
#include <cmath>

#include "foreflow/scenario/run.h"
#include "fuzz/form.h"

namespace foreflow::fuzz::definitions::scenario_form {
namespace {

constexpr int64_t kLargestSize  = 64;  // of any dimension of a model that is built
constexpr int64_t kMostLayers   = 4;
constexpr int64_t kMostPlatform = 32;  // devices, so that SimGrid is quick
constexpr int kMostDevices      = 16;
constexpr int kMostIterations   = 4;

// A calibration file is the one file that loading a scenario opens, for itself or for a job.
bool names_calibration(const Json& json) {
  const Json* cost  = json.find("cost");
  const Json* model = cost == nullptr ? nullptr : cost->find("model");
  if (model != nullptr && model->if_string() != nullptr && model->if_string()->ends_with(".json")) return true;
  const Json* jobs = json.find("jobs");
  if (jobs == nullptr || jobs->if_array() == nullptr) return false;
  return std::any_of(jobs->if_array()->begin(), jobs->if_array()->end(), names_calibration);
}

bool is_small(const scenario::Workload& workload) {
  if (workload.family == nullptr || !workload.sizes.has("layers")) return false;
  for (const workload::Key& key : workload.family->keys) {
    if (key.kind == workload::Key::Kind::integer && workload.sizes.integer_or(key.name, 0) > kLargestSize) return false;
  }
  return workload.sizes.integer_or("layers", 0) <= kMostLayers;
}

bool is_small(const scenario::Scenario& scenario) {
  if (!scenario.jobs.empty()) {
    return std::all_of(scenario.jobs.begin(), scenario.jobs.end(), [](const scenario::Job& job) {
      return is_small(job.scenario) && job.iterations <= kMostIterations;
    });
  }
  const scenario::Strategy& strategy = scenario.strategy;
  return is_small(scenario.workload) && scenario.platform.path.empty() &&
         platform::device_count(scenario.platform.recipe) <= kMostPlatform && strategy.global_batch <= kLargestSize &&
         strategy.dp <= kMostDevices && strategy.tp <= kMostDevices && strategy.pp <= kMostDevices &&
         strategy.devices() <= kMostDevices && strategy.microbatches <= kMostDevices;
}

// Loading asks SimGrid in a child process, so each is loaded once.
scenario::PlatformRef platform_of(const scenario::PlatformChoice& choice) {
  static std::map<std::string, scenario::PlatformRef> loaded;
  scenario::PlatformRef& platform = loaded[platform::write_xml(choice.recipe)];
  if (platform == nullptr) platform = scenario::load_platform(choice);
  return platform;
}

void take(std::string_view text) {
  const Json json  = parse_json(text, "fuzz.json");
  const Json again = surely("printed JSON parses", [&] { return parse_json(json.dump_compact(), "printed"); });
  FOREFLOW_CHECK(again.dump() == json.dump(), "print then parse is the identity");
  if (names_calibration(json)) return;
  scenario::Scenario scenario = scenario::load(json, "fuzz.json");
  if (!is_small(scenario)) return;
  scenario.engine                 = &simulate::engines().get("analytic", "fuzz");
  const scenario::Outcome outcome = scenario::run(scenario, platform_of(scenario.platform));
  const double time               = outcome.timeline.makespan.value();
  FOREFLOW_CHECK(std::isfinite(time) && time >= 0, "an iteration takes a while");
}

}  // namespace

Form row() { return {"scenario", take}; }

}  // namespace foreflow::fuzz::definitions::scenario_form
