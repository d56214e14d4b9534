#include "sweep/chain.h"

#include <malloc.h>

#include <algorithm>
#include <utility>

#include "foreflow/platform/link_changes.h"
#include "sweep/answer.h"

namespace foreflow::sweep {
namespace {

// All that scenario::lower_scenario may depend on besides the devices: the members of the scenario, without its
// platform and engine unless their times decide.
std::string lower_key(const scenario::Scenario& scenario) {
  const bool all = scenario::lowers_by_times(scenario.strategy);
  std::string key;
  for (const auto& [name, value] : *scenario.source.if_object()) {
    if (name == "name" || (!all && (name == "platform" || name == "engine"))) continue;
    key += name + " " + value.dump_compact() + "\n";
  }
  return key;
}

// Leaves the choice without them.
platform::LinkChanges take_changes(scenario::PlatformChoice& choice) {
  return std::exchange(choice.path.empty() ? choice.recipe.links : choice.changes, {});
}

// A file is not read again, and what a recipe builds is made in no time.
scenario::PlatformRef with_changes(scenario::PlatformChoice choice, const scenario::PlatformRef& unchanged,
                                   const platform::LinkChanges& changes) {
  if (!choice.path.empty())
    return std::make_shared<const platform::Platform>(platform::with_links(*unchanged, changes));
  choice.recipe.links = changes;
  return scenario::load_platform(choice);
}

bool equal(const platform::List<platform::Device>& a, const platform::List<platform::Device>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

void Chain::load_platform(const Json& point, const std::string& file) { platform_of(scenario::load(point, file)); }

Json Chain::answer(const Json& point, const std::string& file) {
  scenario::Scenario read            = scenario::load(point, file);
  read.simulation.owns_process       = true;  // a worker's
  const platform::Platform& platform = platform_of(read);
  scenario::check_devices(read, platform);
  if (!read.jobs.empty()) return answer_of(scenario::run(read, loaded_->platform).summary);
  const scenario::Scenario scenario = scenario::with_known_names(read, platform);
  const lower::Lowered& lowered     = lowered_of(scenario, platform);
  return answer_of(scenario::predict(scenario, sequential_of(scenario), lowered, platform, {}, report::Detail::all,
                                     known_of(scenario.platform))
                       .summary);
}

const platform::Platform& Chain::platform_of(const scenario::Scenario& scenario) {
  scenario::PlatformChoice choice     = scenario.platform;
  const platform::LinkChanges changes = take_changes(choice);
  if (!loaded_ || !(loaded_->choice == choice)) {
    loaded_.reset();  // before the next is there: it may be large
    const scenario::PlatformRef unchanged = scenario::load_platform(choice);
    loaded_                               = {std::move(choice), unchanged, {}, unchanged};
  }
  if (!(loaded_->changes == changes)) {
    loaded_->platform = with_changes(loaded_->choice, loaded_->unchanged, changes);
    loaded_->changes  = changes;
  }
  return *loaded_->platform;
}

const scenario::Sequential& Chain::sequential_of(const scenario::Scenario& scenario) {
  std::string key = scenario::build_key(scenario);
  if (!built_ || built_->key != key) {
    built_.reset();
    built_ = {std::move(key), scenario::build(scenario)};
  }
  return built_->sequential;
}

const lower::Lowered& Chain::lowered_of(const scenario::Scenario& scenario, const platform::Platform& platform) {
  std::string key = lower_key(scenario);
  if (!lowered_ || lowered_->key != key ||
      !(lowered_->choice == loaded_->choice || equal(lowered_->devices, platform.devices()))) {
    lowered_.reset();
    const scenario::Sequential& sequential = sequential_of(scenario);
    const scenario::Scenario resolved      = scenario::resolve(scenario, sequential, platform).value();
    lowered_                               = {std::move(key), loaded_->choice, platform.devices(),
                                              scenario::lower_scenario(resolved, sequential, platform), nullptr};
    lowered_->courses                      = simulate::courses_of(lowered_->lowered.compact);
    // Returns memory that lowering no longer needs. Each run of an engine forks, and the cost of a fork grows with the
    // memory of the process.
    ::malloc_trim(0);
  }
  return lowered_->lowered;
}

simulate::Known Chain::known_of(const scenario::PlatformChoice& platform) {
  if (!platform.path.empty()) return {lowered_->courses, nullptr};
  if (!routes_ || !platform::have_equal_routes(routes_->recipe, platform.recipe))
    routes_ = {platform.recipe, simulate::no_routes()};
  return {lowered_->courses, routes_->table};
}

}  // namespace foreflow::sweep
