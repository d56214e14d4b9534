#include <fmt/format.h>

#include <map>

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

// The number of each of `names` among the parts of a platform, which are `kind`s.
template <typename Parts>
std::vector<int> numbers_of(const std::vector<ComponentName>& names, const Parts& parts, const char* kind) {
  std::map<std::string, int> known;
  for (const auto& part : parts) known.emplace(part.name, static_cast<int>(known.size()));
  std::vector<int> numbers;
  for (const auto& [name, where] : names) {
    const auto found = known.find(name);
    if (found == known.end()) {
      std::vector<std::string> all;
      for (const auto& [one, number] : known) all.push_back(one);
      throw Error(where,
                  fmt::format("the platform has no {} \"{}\"; the nearest is \"{}\"", kind, name, nearest(name, all)));
    }
    numbers.push_back(found->second);
  }
  return numbers;
}

}  // namespace

const Registry<DisturbanceDef>& disturbance_kinds() {
  // clang-format off
  static const Registry<DisturbanceDef> rows("kind of disturbance", {
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
  const ComponentNumbers numbers = {numbers_of(named.devices, platform.devices(), "device"),
                                    numbers_of(named.links, platform.links(), "link")};
  Disturbances result            = named.planned;
  for (const DisturbanceDef& kind : disturbance_kinds()) {
    if (kind.renumber) kind.renumber(numbers, result);
  }
  return result;
}

void check(const Disturbances& disturbances, const platform::Platform& platform) {
  for (const DisturbanceDef& kind : disturbance_kinds()) kind.check(disturbances, platform);
}

}  // namespace foreflow::simulate
