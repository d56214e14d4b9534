// The kinds of disturbances as rows of a table: how a scenario states one, and what makes it invalid. A new kind is a
// member of Disturbances, a new file in src/simulate/disturbances, and code in the engines that applies it.
//
//
//   "disturbances": {"slowdowns": [{"device": "node2-gpu5", "factor": 1.2}], "jitter": {"amplitude": 0.05}}
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foreflow/base/key.h"
#include "foreflow/base/nth.h"
#include "foreflow/base/registry.h"
#include "foreflow/platform/platform.h"
#include "foreflow/simulate/disturbance.h"

namespace foreflow::simulate {

enum class Component : uint8_t { device, link };

struct ComponentName {
  std::string name;
  std::string where;  // for messages: where it occurs first
};

// Disturbances before the platform is known: devices and links are indices into these lists of names.
struct NamedDisturbances {
  Disturbances planned;
  std::vector<ComponentName> devices, links;
};

// Collects the names of devices and links, each once.
class ComponentNames {
 public:
  // The index of the name among the names of devices, or of links.
  int index_of(Component component, const JsonView& name);
  const std::vector<ComponentName>& of(Component component) const {
    return component == Component::device ? devices_ : links_;
  }

 private:
  std::vector<ComponentName> devices_, links_;
  std::map<std::pair<Component, std::string>, int> indices_;
};

// The indices on the platform of NamedDisturbances::devices and links.
struct ComponentNumbers {
  std::vector<int> devices, links;
  int of(Component component, int index) const { return nth(component == Component::device ? devices : links, index); }
};

// The keys of an object within the value of a row. `path` is relative to "disturbances": "links[].changes[]".
struct DisturbanceKeys {
  std::string path;
  Keys keys;
};

// The part of a run that a disturbance affects. Engines whose communications do not share links refuse disturbances
// that affect links.
enum class Affected : uint8_t { computes, links };
// "computes", "links"
std::string_view name(Affected affected);

struct DisturbanceDef {
  std::string_view name;     // the key in "disturbances"
  std::string_view doc;      // in a few words
  std::string_view meaning;  // in full
  Affected affects;
  ValueType type                       = {};
  std::vector<DisturbanceKeys> objects = {};
  // Adds the disturbances that the value in a scenario states, with devices and links as indices into `names`. Throws
  // Error at a part of the value that is invalid on every platform.
  std::function<void(const JsonView& value, ComponentNames& names, Disturbances& disturbances)> read = {};
  // Replaces indices into the names by `numbers`; null for a kind without devices and links.
  std::function<void(const ComponentNumbers& numbers, Disturbances& disturbances)> renumber = {};
  // Throws Error("disturbances.NAME[0].factor", ...) if a value is invalid on every platform or on this one.
  std::function<void(const Disturbances& disturbances, const platform::Platform& platform)> check = {};
  // Returns true if there are disturbances of this kind.
  std::function<bool(const Disturbances& disturbances)> is_given = {};
  // Draws the affected devices or links of this platform; null for a kind that names them.
  std::function<void(const platform::Platform& platform, Disturbances& disturbances)> draw = {};
  // Replaces the seed; null for a kind without random numbers.
  std::function<void(uint64_t seed, Disturbances& disturbances)> reseed = {};
  // The least factor by which it changes the time of what it affects; null: it never shortens it.
  std::function<double(const Disturbances& disturbances)> least_factor = {};
};

const Registry<DisturbanceDef>& disturbance_kinds();

// Reads the member "disturbances" of a scenario.
NamedDisturbances read_disturbances(const JsonView& json);

// The disturbances with their random devices and links drawn. Drawing again changes nothing.
Disturbances drawn(Disturbances disturbances, const platform::Platform& platform);

// The drawn disturbances with the platform's indices. Throws Error at a name that the platform does not have.
Disturbances numbered(const NamedDisturbances& named, const platform::Platform& platform);

// No compute and no transfer takes less than this factor of its undisturbed time; at most 1.
double least_factor(const Disturbances& disturbances);

// Throws Error when a device, link, factor, time or size is out of range.
void check(const Disturbances& disturbances, const platform::Platform& platform);

}  // namespace foreflow::simulate
