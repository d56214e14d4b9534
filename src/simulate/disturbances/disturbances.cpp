#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "foreflow/base/suggestion.h"
#include "foreflow/simulate/disturbance_kind.h"

namespace foreflow::simulate {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { DisturbanceDef row(); }
#include "simulate/disturbances/disturbances.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

namespace {

// The number of each of `names` on the platform; `find` and `parts` are those of the kind.
template <class Part>
std::vector<int> numbers_of(const std::vector<ComponentName>& names, const platform::Platform& platform,
                            std::optional<int> (platform::Platform::*find)(std::string_view) const,
                            const platform::List<Part>& parts, const char* kind) {
  std::vector<int> numbers;
  for (const auto& [name, where] : names) {
    const std::optional<int> found = (platform.*find)(name);
    if (!found) {
      std::vector<std::string> all;
      for (const Part& part : parts) all.push_back(part.name);
      std::sort(all.begin(), all.end());
      throw Error(where, fmt::format("the platform has no {} \"{}\"{}", kind, name, suggestion_or_first(name, all)));
    }
    numbers.push_back(*found);
  }
  return numbers;
}

}  // namespace

std::string_view name(Affected affected) { return affected == Affected::computes ? "computes" : "links"; }

const Registry<DisturbanceDef>& disturbance_kinds() {
  // clang-format off
  static const Registry<DisturbanceDef> rows("kind of disturbance", "disturbances", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "simulate/disturbances/disturbances.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

int ComponentNames::index_of(Component component, const JsonView& name) {
  std::vector<ComponentName>& names = component == Component::device ? devices_ : links_;
  const auto [at, is_new] = indices_.emplace(std::pair(component, name.as_string()), static_cast<int>(names.size()));
  if (is_new) names.push_back({name.as_string(), name.where()});
  return at->second;
}

NamedDisturbances read_disturbances(const JsonView& json) {
  json.allow_only(disturbance_kinds().names());
  NamedDisturbances named;
  ComponentNames names;
  for (const DisturbanceDef& kind : disturbance_kinds()) {
    if (json.has(kind.name)) kind.read(json.at(kind.name), names, named.planned);
  }
  named.devices = names.of(Component::device);
  named.links   = names.of(Component::link);
  return named;
}

Disturbances numbered(const NamedDisturbances& named, const platform::Platform& platform) {
  const ComponentNumbers numbers = {
      numbers_of(named.devices, platform, &platform::Platform::find_device, platform.devices(), "device"),
      numbers_of(named.links, platform, &platform::Platform::find_link, platform.links(), "link")};
  Disturbances result = named.planned;
  for (const DisturbanceDef& kind : disturbance_kinds()) {
    if (kind.renumber) kind.renumber(numbers, result);
  }
  return drawn(std::move(result), platform);
}

Disturbances drawn(Disturbances disturbances, const platform::Platform& platform) {
  for (const DisturbanceDef& kind : disturbance_kinds()) {
    if (kind.draw && kind.is_given(disturbances)) kind.draw(platform, disturbances);
  }
  return disturbances;
}

double least_factor(const Disturbances& disturbances) {
  double least = 1;
  for (const DisturbanceDef& kind : disturbance_kinds()) {
    if (kind.least_factor) least *= std::min(kind.least_factor(disturbances), 1.0);
  }
  return least;
}

void check(const Disturbances& disturbances, const platform::Platform& platform) {
  for (const DisturbanceDef& kind : disturbance_kinds()) kind.check(disturbances, platform);
}

}  // namespace foreflow::simulate
