#include "search/space/placement_forms.h"

#include <algorithm>
#include <numeric>

#include "foreflow/base/nth.h"

namespace foreflow::search {
namespace {

using platform::Platform;
using platform::Route;

// Numbers from 0 on, in the order in which they are asked for.
class Labels {
 public:
  explicit Labels(size_t count) : labels_(count, -1) {}
  int operator[](size_t what) {
    int& label = labels_[what];
    if (label < 0) label = made_++;
    return label;
  }

 private:
  std::vector<int> labels_;
  int made_ = 0;
};

bool are_alike(const Route& a, const Route& b) {
  return a.links.size() == b.links.size() && a.latency == b.latency && a.step_latency == b.step_latency &&
         a.limit == b.limit;
}

// Returns true if devices `one` and `other` can change places and no route differs but in which of several equal links
// it has. `all` are the devices of their node, and one of another node.
bool can_be_exchanged(const Platform& platform, const std::vector<int>& all, int one, int other) {
  const auto image = [&](int device) { return device == one ? other : device == other ? one : device; };
  std::map<int, int> forth, back;  // links
  for (const int from : all) {
    if (platform.device_kind(from) != platform.device_kind(image(from))) return false;
    for (const int to : all) {
      if (from == to) continue;
      const Route route = platform.route(from, to), mirrored = platform.route(image(from), image(to));
      if (!are_alike(route, mirrored)) return false;
      for (size_t i = 0; i < route.links.size(); ++i) {
        const int link = route.links[i], same = mirrored.links[i];
        const bool known =
            forth.emplace(link, same).first->second == same && back.emplace(same, link).first->second == link;
        if (!known || platform.link_kind(link) != platform.link_kind(same)) return false;
      }
    }
  }
  return true;
}

}  // namespace

// The nodes are equal: what holds for the first one holds for all.
bool has_equal_devices(const Platform& platform) {
  const int per_node = static_cast<int>(platform.devices().size()) / platform.nodes();
  std::vector<int> all(static_cast<size_t>(per_node) + (platform.nodes() > 1 ? 1 : 0));
  std::iota(all.begin(), all.end(), 0);
  for (int device = 0; device + 1 < per_node; ++device) {
    if (!can_be_exchanged(platform, all, device, device + 1)) return false;
  }
  return true;
}

std::optional<std::vector<int>> PlacementForms::of(const scenario::Scenario& scenario, const Platform& platform) {
  const bool disturbed = scenario.disturbances || !platform.declared().profiles.empty();
  if (!platform.has_equal_nodes() || disturbed) return std::nullopt;
  const auto nodes = static_cast<size_t>(platform.nodes()), per_node = platform.devices().size() / nodes;
  const auto [equal, fresh] = equal_devices_.try_emplace(&platform);
  if (fresh) equal->second = has_equal_devices(platform);
  const auto places = scenario::try_places(scenario, platform);
  if (!places) return std::nullopt;
  const auto used = static_cast<size_t>(scenario.strategy.devices());
  // Devices of all nodes are renumbered in the same way, since rails join those of equal numbers.
  Labels node_labels(nodes), device_labels(per_node);
  std::vector<int> form;
  for (size_t rank = 0; rank < std::min(used, places->size()); ++rank) {
    const int device   = (*places)[rank];
    const size_t local = static_cast<size_t>(device) % per_node;
    form.push_back(nth(node_labels, platform.node(device)));
    form.push_back(equal->second ? device_labels[local] : static_cast<int>(local));
  }
  return form;
}

std::string SamePredictions::key(const ReadPoint& point, const std::string& text) {
  if (disturbed_ || !point.scenario) return text;
  auto form = forms_.of(*point.scenario, point.platform());
  if (!form) return text;
  Json key = Json::object();
  for (const auto& [name, value] : *point.point.if_object()) {
    if (!name.starts_with("placement.")) key.set(name, value);
  }
  return key.set("form", known_.emplace(std::move(*form), known_.size()).first->second).dump_compact();
}

}  // namespace foreflow::search
