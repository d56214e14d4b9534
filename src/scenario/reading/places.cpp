#include <optional>
#include <variant>

#include "foreflow/base/nth.h"
#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"
#include "foreflow/scenario/run.h"
#include "foreflow/transform/split_data.h"
#include "scenario/blame.h"

namespace foreflow::scenario {
namespace {

// Which devices are asked for, by the object `root` of a scenario.
struct Request {
  const std::string& root;
  const Strategy& strategy;
  const Placement& placement;
};

// The whole of `text` as a number; -1 when it is none.
int number_in(std::string_view text) { return parse_number<int>(text).value_or(-1); }

// The devices that scenarios list, by their names and numbers.
class Devices {
 public:
  explicit Devices(const platform::Platform& platform) : platform_(platform) {}

  // The devices that "node0-gpu0", "3" or "0-7" names; a refusal when it names none.
  std::variant<std::vector<int>, std::string> find(const std::string& text) const {
    if (const std::optional<int> named = platform_.find_device(text)) return std::vector<int>{*named};
    const size_t dash = text.find('-');
    const int first   = number_in(std::string_view(text).substr(0, dash));
    const int last    = dash == std::string::npos ? first : number_in(std::string_view(text).substr(dash + 1));
    if (first < 0 || last < 0) return unknown(text);
    const auto count = static_cast<int>(platform_.devices().size());
    if (first > last) return "the range \"" + text + "\" is empty; write the smaller number first";
    if (last >= count) {
      return "there is no device " + std::to_string(last) + "; the " + std::to_string(count) + " of " +
             platform_.name() + " are 0 to " + std::to_string(count - 1);
    }
    std::vector<int> devices;
    for (int device = first; device <= last; ++device) devices.push_back(device);
    return devices;
  }

 private:
  std::string unknown(const std::string& text) const {
    std::vector<std::string> names;
    for (const platform::Device& device : platform_.devices()) names.push_back(device.name);
    return platform_.name() + " has no device \"" + text + "\"" + suggestion_or_first(text, names);
  }

  const platform::Platform& platform_;
};

std::vector<int> free_devices(const platform::Platform& platform, const Held& held) {
  std::vector<int> all;
  all.reserve(platform.devices().size());
  for (int device = 0; device < static_cast<int>(platform.devices().size()); ++device) {
    if (!held.contains(device)) all.push_back(device);
  }
  return all;
}

// Returns true if shards change fastest, then the ranks of a context, if there are several, then stages, then replicas.
bool is_usual(const std::array<Dimension, 4>& order, int cp) {
  std::vector<Dimension> kinds;
  std::copy_if(order.begin(), order.end(), std::back_inserter(kinds),
               [cp](Dimension d) { return d != Dimension::cp || cp > 1; });
  if (cp > 1) return kinds == std::vector{Dimension::tp, Dimension::cp, Dimension::pp, Dimension::dp};
  return kinds == std::vector{Dimension::tp, Dimension::pp, Dimension::dp};
}

Refusal too_few(const Request& request, const platform::Platform& platform, size_t available, const Held& held) {
  const bool lists = !request.placement.devices.empty();
  std::string of   = platform.name();
  if (!held.empty()) of += " that the jobs before it leave";
  if (lists) of = "its placement";
  return refused(
      request.root, Cause::devices, "",
      std::string(!request.strategy.stage_cp.empty() ? "dp x the sum of stage_tp x stage_cp = "
                  : request.strategy.has_unequal_stages()
                      ? request.strategy.cp > 1 ? "dp x cp x the sum of stage_tp = " : "dp x the sum of stage_tp = "
                  : request.strategy.cp > 1 ? "dp x cp x tp x pp = "
                                            : "dp x tp x pp = ") +
          std::to_string(request.strategy.devices()) + " devices are more than the " + std::to_string(available) +
          " of " + of + "; add " + (lists ? "devices" : "nodes") + " or lower dp, tp or pp");
}

// slot_of where stages have unequal numbers of ranks, in the usual order.
size_t slot_in_unequal_stages(int rank, const Strategy& strategy) {
  const int sharing = strategy.replicas_sharing(), all = strategy.devices_of_replica();
  const int outer = rank / (all * sharing), own = rank % (all * sharing);
  const int stage = strategy.device_of_rank(own / sharing), first = strategy.first_rank(stage);
  const int size = strategy.first_rank(stage + 1) - first, in_stage = own - first * sharing;
  const int replica = outer * sharing + in_stage / size;
  return static_cast<size_t>(replica) * static_cast<size_t>(all) + static_cast<size_t>(first + in_stage % size);
}

// Per rank: the index, in the placement's order of devices, of the device that it takes. Programs number their ranks by
// shard first, then by context, by replica among those that share experts, by stage, and by the other replicas.
std::vector<size_t> slots_of_ranks(const Strategy& strategy, const std::array<Dimension, 4>& order) {
  std::vector<size_t> slots;
  if (strategy.has_unequal_stages()) {
    for (int rank = 0; rank < strategy.devices(); ++rank) slots.push_back(slot_in_unequal_stages(rank, strategy));
    return slots;
  }
  const std::array<int, 4> size = {strategy.tp, strategy.cp, strategy.pp, strategy.dp};  // by Dimension
  std::array<size_t, 4> stride{};                                                        // likewise
  for (size_t next = 1; const Dimension dimension : order) {
    nth(stride, dimension) = next;
    next *= static_cast<size_t>(nth(size, dimension));
  }
  const int sharing = transform::replicas_in_group(strategy.cp, strategy.ep);
  slots             = {0};
  // Repeats the ranks so far `count` times, each time `further` on.
  const auto repeat = [&slots](int count, size_t further) {
    const size_t before = slots.size();
    for (size_t i = before; i < before * static_cast<size_t>(count); ++i) slots.push_back(slots[i - before] + further);
  };
  repeat(strategy.tp, nth(stride, Dimension::tp));
  repeat(strategy.cp, nth(stride, Dimension::cp));
  repeat(sharing, nth(stride, Dimension::dp));
  repeat(strategy.pp, nth(stride, Dimension::pp));
  repeat(strategy.dp / sharing, nth(stride, Dimension::dp) * static_cast<size_t>(sharing));
  return slots;
}

}  // namespace

Expected<std::vector<int>> try_devices(const std::vector<std::string>& texts, const std::string& where,
                                       const platform::Platform& platform, const Held& held) {
  const auto refused_item = [&](size_t item, const std::string& why) {
    return Refusal(Cause::placement, where + "[" + std::to_string(item) + "]", why);
  };
  const Devices devices(platform);
  std::vector<int> all;
  std::vector<bool> seen(platform.devices().size());
  for (size_t item = 0; item < texts.size(); ++item) {
    const auto found = devices.find(texts[item]);
    if (const auto* why = std::get_if<std::string>(&found)) return refused_item(item, *why);
    for (const int device : std::get<std::vector<int>>(found)) {
      const std::string& name = nth(platform.devices(), device).name;
      if (nth(seen, device)) return refused_item(item, "\"" + name + "\" is used twice; list each device once");
      if (const auto holder = held.find(device); holder != held.end()) {
        return refused_item(item,
                            "\"" + name + "\" is used by job \"" + holder->second + "\" already; list another device");
      }
      nth(seen, device) = true;
      all.push_back(device);
    }
  }
  return all;
}

Expected<std::vector<int>> try_places(const std::string& root, const Strategy& strategy, const Placement& placement,
                                      const platform::Platform& platform, const Held& held) {
  const Request request{root, strategy, placement};
  auto candidates = placement.devices.empty()
                        ? Expected(free_devices(platform, held))
                        : try_devices(placement.devices, root + ".placement.devices", platform, held);
  if (!candidates) return candidates;
  if (strategy.has_unequal_stages() && !is_usual(placement.order, strategy.cp))
    return Expected<std::vector<int>>(
        Refusal{Cause::placement, root + ".placement.order",
                "stages that are sharded in different ways have no other order than " +
                    std::string(strategy.cp > 1 ? "tp-cp-pp-dp" : "tp-pp-dp") +
                    "; leave the order out, or use stages that are sharded in the same way"});
  if (static_cast<size_t>(strategy.devices()) > candidates->size())
    return too_few(request, platform, candidates->size(), held);
  const std::vector<int> slots       = placement.policy->order(platform, *std::move(candidates), placement.seed);
  std::vector<int> places            = slots;
  const std::vector<size_t> of_ranks = slots_of_ranks(strategy, placement.order);
  for (size_t rank = 0; rank < of_ranks.size(); ++rank) places[rank] = slots[of_ranks[rank]];
  return places;
}

Expected<std::vector<int>> try_places(const Scenario& scenario, const platform::Platform& platform) {
  return try_places(scenario.where(), scenario.strategy, scenario.placement, platform, scenario.held);
}

std::vector<int> places(const Scenario& scenario, const platform::Platform& platform) {
  return try_places(scenario, platform).value();
}

lower::Options lowering(const Scenario& scenario, const platform::Platform& platform) {
  lower::Options options = scenario.collectives;
  options.places         = places(scenario, platform);
  return options;
}

void check_devices(const Scenario& scenario, const platform::Platform& platform) {
  if (scenario.jobs.empty()) places(scenario, platform);
  Held held;
  for (const Job& job : scenario.jobs) {
    const Scenario& own          = job.scenario;
    const std::vector<int> taken = try_places(own.where(), own.strategy, own.placement, platform, held).value();
    for (int rank = 0; rank < own.strategy.devices(); ++rank) held.emplace(nth(taken, rank), own.name);
  }
}

}  // namespace foreflow::scenario
