
#include "foreflow/base/text.h"
#include "foreflow/scenario/run.h"
#include "foreflow/transform/spread.h"

namespace foreflow::scenario {
namespace {

std::string key_place(const Scenario& scenario, const std::string& key) { return scenario.root().where() + "." + key; }

// The whole of `text` as a number; -1 when it is none.
int number_in(std::string_view text) { return parse_number<int>(text).value_or(-1); }

// The devices that scenarios list, by their names and numbers.
class Devices {
 public:
  Devices(const platform::Platform& platform, std::string where) : platform_(platform), where_(std::move(where)) {
    for (const platform::Device& device : platform.devices())
      numbers_.emplace(device.name, static_cast<int>(numbers_.size()));
  }

  // What "node0-gpu0", "3" or "0-7" stands for, the `item`th of the list.
  std::vector<int> find(const std::string& text, size_t item) const {
    const std::string at = where_ + "[" + std::to_string(item) + "]";
    if (const auto named = numbers_.find(text); named != numbers_.end()) return {named->second};
    const size_t dash = text.find('-');
    const int first   = number_in(std::string_view(text).substr(0, dash));
    const int last    = dash == std::string::npos ? first : number_in(std::string_view(text).substr(dash + 1));
    if (first < 0 || last < 0) throw Error(at, unknown(text));
    const auto count = static_cast<int>(platform_.devices().size());
    if (first > last) throw Error(at, "the range \"" + text + "\" is empty; write the smaller number first");
    if (last >= count) {
      throw Error(at, "there is no device " + std::to_string(last) + "; the " + std::to_string(count) + " of " +
                          platform_.name() + " are 0 to " + std::to_string(count - 1));
    }
    std::vector<int> devices;
    for (int device = first; device <= last; ++device) devices.push_back(device);
    return devices;
  }

 private:
  std::string unknown(const std::string& text) const {
    std::vector<std::string> names;
    for (const platform::Device& device : platform_.devices()) names.push_back(device.name);
    return "unknown device \"" + text + "\"; the nearest of " + platform_.name() + " is \"" + nearest(text, names) +
           "\"";
  }

  const platform::Platform& platform_;
  std::string where_;
  std::map<std::string, int> numbers_;
};

// The devices that the scenario lists; none may be there twice or be held by another job.
std::vector<int> listed(const Scenario& scenario, const platform::Platform& platform, const Held& held) {
  const std::string key = key_place(scenario, "placement.devices");
  const Devices devices(platform, key);
  std::vector<int> all;
  std::vector<bool> seen(platform.devices().size());
  for (size_t item = 0; item < scenario.placement.devices.size(); ++item) {
    for (const int device : devices.find(scenario.placement.devices[item], item)) {
      const std::string& name = platform.devices()[static_cast<size_t>(device)].name;
      const std::string at    = key + "[" + std::to_string(item) + "]";
      if (seen[static_cast<size_t>(device)]) throw Error(at, "\"" + name + "\" is used twice; list each device once");
      if (const auto holder = held.find(device); holder != held.end())
        throw Error(at, "\"" + name + "\" is used by job \"" + holder->second + "\" already; list another device");
      seen[static_cast<size_t>(device)] = true;
      all.push_back(device);
    }
  }
  return all;
}

std::vector<int> free_devices(const platform::Platform& platform, const Held& held) {
  std::vector<int> all;
  for (int device = 0; device < static_cast<int>(platform.devices().size()); ++device) {
    if (!held.contains(device)) all.push_back(device);
  }
  return all;
}

void check_count(const Scenario& scenario, const platform::Platform& platform, size_t available, const Held& held) {
  const Strategy& strategy = scenario.strategy;
  if (static_cast<size_t>(strategy.devices()) <= available) return;
  std::string of = platform.name();
  if (!held.empty()) of += " that the jobs before it leave";
  if (!scenario.placement.devices.empty()) of = "its placement";
  throw Error(key_place(scenario, "strategy"),
              std::string(strategy.cp > 1 ? "dp x cp x tp x pp = " : "dp x tp x pp = ") +
                  std::to_string(strategy.devices()) + " devices are more than the " + std::to_string(available) +
                  " of " + of + "; add " + (scenario.placement.devices.empty() ? "nodes" : "devices") +
                  " or lower dp, tp or pp");
}

// Which of the devices in the placement's order rank `rank` takes. Programs number their ranks tensor parallel first,
// then by place in the sequence, by replica among those that share experts, by stage, and by the other replicas.
size_t slot_of(int rank, const Strategy& strategy, const std::array<Dimension, 4>& order) {
  const auto next = [&rank](int size) {
    const int at = rank % size;
    rank /= size;
    return at;
  };
  const int sharing = transform::replicas_in_group(strategy.cp, strategy.ep);
  const int tensor = next(strategy.tp), position = next(strategy.cp), inner = next(sharing), stage = next(strategy.pp);
  const std::array<int, 4> size = {strategy.tp, strategy.cp, strategy.pp, strategy.dp};  // by Dimension
  const std::array<int, 4> at   = {tensor, position, stage, rank * sharing + inner};
  int slot = 0, stride = 1;
  for (const Dimension dimension : order) {
    slot += at[static_cast<size_t>(dimension)] * stride;
    stride *= size[static_cast<size_t>(dimension)];
  }
  return static_cast<size_t>(slot);
}

}  // namespace

std::vector<int> places(const Scenario& scenario, const platform::Platform& platform, const Held& held) {
  const Placement& placement = scenario.placement;
  std::vector<int> candidates =
      placement.devices.empty() ? free_devices(platform, held) : listed(scenario, platform, held);
  check_count(scenario, platform, candidates.size(), held);
  const std::vector<int> slots = placement.policy->order(platform, std::move(candidates), placement.seed);
  std::vector<int> places      = slots;
  for (int rank = 0; rank < scenario.strategy.devices(); ++rank)
    places[static_cast<size_t>(rank)] = slots[slot_of(rank, scenario.strategy, placement.order)];
  return places;
}

lower::Options lowering(const Scenario& scenario, const platform::Platform& platform, const Held& held) {
  lower::Options options = scenario.collectives;
  options.places         = places(scenario, platform, held);
  return options;
}

void check_devices(const Scenario& scenario, const platform::Platform& platform) {
  if (scenario.jobs.empty()) places(scenario, platform);
  Held held;
  for (const Job& job : scenario.jobs) {
    const std::vector<int> taken = places(job.scenario, platform, held);
    for (int rank = 0; rank < job.scenario.strategy.devices(); ++rank)
      held.emplace(taken[static_cast<size_t>(rank)], job.scenario.name);
  }
}

}  // namespace foreflow::scenario
