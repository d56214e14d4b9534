#include "sweep/chain.h"

#include "sweep/answer.h"

namespace foreflow::sweep {
namespace {

std::string part(const scenario::Scenario& scenario, std::string_view key) {
  const Json* value = scenario.source.find(key);
  return value == nullptr ? "" : value->dump_compact();
}

// What scenario::build depends on. A program in a file may be placed already, and then it refuses strategies.
std::string build_key(const scenario::Scenario& scenario) {
  const bool file            = scenario.workload.source == scenario::Workload::Source::distir;
  const std::string strategy = file ? part(scenario, "strategy") : std::to_string(scenario.strategy.global_batch);
  return part(scenario, "workload") + "\n" + part(scenario, "cost") + "\n" + strategy;
}

}  // namespace

void Chain::load_platform(const Json& point, const std::string& file) { platform_of(scenario::load(point, file)); }

Json Chain::answer(const Json& point, const std::string& file) {
  const scenario::Scenario scenario     = scenario::load(point, file);
  const scenario::PlatformRef& platform = platform_of(scenario);
  scenario::check_devices(scenario, *platform);
  return answer_of(scenario::run(scenario, sequential_of(scenario), platform).summary);
}

const scenario::PlatformRef& Chain::platform_of(const scenario::Scenario& scenario) {
  if (!loaded_ || !(loaded_->choice == scenario.platform)) {
    loaded_.reset();  // before the next is there: it may be large
    loaded_ = {scenario.platform, scenario::load_platform(scenario.platform)};
  }
  return loaded_->platform;
}

const scenario::Sequential& Chain::sequential_of(const scenario::Scenario& scenario) {
  std::string key = build_key(scenario);
  if (!built_ || built_->key != key) {
    built_.reset();
    built_ = {std::move(key), scenario::build(scenario)};
  }
  return built_->sequential;
}

}  // namespace foreflow::sweep
