// Axes: a list where a scenario expects one value asks for every value of it. simulate refuses them, search takes those
// of the strategy, sweep takes their product.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/json.h"

namespace foreflow::scenario {

// One list of a scenario that is an axis.
struct Axis {
  std::vector<std::string> keys;  // from the root: {"platform", "links", "nic", "bandwidth"}; "[2]" is the third item
  std::vector<Json> values;       // at least one, all different

  std::string path() const;  // "platform.links.nic.bandwidth"
};

// Whether `value` at `path` ("strategy.tp") is an axis: any list; at a key whose value is a list by nature, only a list
// of lists.
bool is_axis(std::string_view path, const Json& value);

// The axes of a scenario, in the order of its text. Where one value of an axis is an object with lists of its own,
// every choice from these is a value of the axis, the last list changing fastest. Throws Error at a list without
// values, and at one that holds a value twice.
std::vector<Axis> axes(const Json& source, const std::string& file);

// How many points the product of the axes has: 1 without axes. Throws Error(file) when there are more than a million.
size_t count_points(const std::vector<Axis>& axes, const std::string& file);

// Which value of each axis point `number` takes: the last axis changes fastest.
std::vector<size_t> choice_of(const std::vector<Axis>& axes, size_t number);

// The scenario with value `choice[a]` in the place of every axis a.
Json with_choice(const Json& source, const std::vector<Axis>& axes, const std::vector<size_t>& choice);

// The files that a scenario in `file` names, at any value of its axes: as it writes them, and where they are.
std::map<std::string, std::string> referenced_files(const Json& source, const std::string& file);

}  // namespace foreflow::scenario
