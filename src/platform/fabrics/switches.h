// Steps that several fabric recipes share.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "platform/blueprint.h"

namespace foreflow::platform {

// The whole numbers a / b, rounded up.
constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

// The smallest multiple of `step` for which `enough` holds.
template <class Enough>
int smallest_multiple(int step, Enough enough) {
  int number = step;
  while (!enough(number)) number += step;
  return number;
}

// A size for parts of `whole`: the least multiple of `step` from `least` to twice that which divides it, so that all
// parts are equal; `least` if there is none. Clusters are built so, and of equal parts one represents all others.
// For example, parts of 2048 are 64 where they should be at least 46. Requires: `least` is a multiple of `step`.
int even_part(int whole, int step, int least);

// The uplinks of a switch: `count` links, each `width` times the bandwidth of a downward port, with count * width =
// ports / oversubscription exactly.
struct Uplinks {
  int count;
  double width;
};
Uplinks uplinks_of(int ports, double oversubscription);

// The row of a fabric with settings of its own: kRead makes them, kBuild is given them.
template <auto kRead, auto kBuild>
FabricDef fabric_row(std::string_view name, std::string_view doc, Keys parameters,
                     std::vector<std::string_view> routings = {}, std::string_view not_oversubscribed = "") {
  const auto read = [](const JsonView& json, const Outlets& outlets) {
    return FabricSettings::of(kRead(json, outlets));
  };
  const auto build = [](const FabricSettings& settings, const Outlets& outlets) {
    using Own = decltype(kRead(std::declval<const JsonView&>(), outlets));
    return kBuild(settings.as<Own>(), outlets);
  };
  return {name, doc, std::move(parameters), read, build, std::move(routings), not_oversubscribed};
}

// The bandwidth of `number` NICs together.
BytesPerSecond times_nic(const Outlets& outlets, double number);
// Half of all.
inline double half_of(const Outlets& outlets) { return static_cast<double>(outlets.all.size()) / 2; }

// Sets the formulas of a tree whose leaves have `leaf_ports` NICs in the order of the nodes: of a ring the NICs of one
// node cross the ways up of a leaf, in turns or evenly.
void add_formulas_of_leaves(Fabric& fabric, const Outlets& outlets, int leaf_ports, const Uplinks& uplinks);

// `times` as wide as `port`.
Port widened(const Port& port, double times);

// Returns true if switches spread every message evenly over all its ways. Then all ways of a switch are one trunk, as
// wide as they are together.
bool spreads(const Outlets& outlets);

int add_switch(Fabric& fabric, const std::string& name);

// Joins each leaf to each spine, in this order, where `leaves` are the first switches and `spines` the next.
void join_leaves(Fabric& fabric, int leaves, int spines, const Port& port);

// Adds `spines` switches above the `leaves` first ones and joins each leaf to each by `port`; where messages are
// spread, one switch and one trunk stand for all. `spines` is 0 if there is one leaf.
void add_spines(Fabric& fabric, int leaves, int spines, const Port& port, const Outlets& outlets);

// The circle of `parts` equal groups of leaves that follow one another below the spines of add_spines.
Circle circle_below_spines(const Fabric& fabric, int parts);

// A link named after both its ends.
void connect(Fabric& fabric, int from, int to, const Port& port);

}  // namespace foreflow::platform
