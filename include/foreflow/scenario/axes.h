// Axes: a list where a scenario expects one value stands for every value of the list. `simulate` refuses axes, `search`
// chooses among those of the strategy, `sweep` runs their whole product.
//
// Example: {"strategy": {"tp": [1, 2]}, "platform": {"nodes": [1, 2, 4]}} has the two axes strategy.tp and
// platform.nodes, and six points.
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

// Returns true if `value` at `path` ("strategy.tp") is an axis. A list is an axis, unless a single value of that key is
// itself a list; then only a list of lists is one.
bool is_axis(std::string_view path, const Json& value);

// The axes of a scenario, in the order of its text. A value of an axis may be an object that holds lists itself: it is
// replaced by one value for each combination of their items, with the last list changing fastest. Throws Error at an
// empty list and at a list that holds a value twice.
std::vector<Axis> axes(const Json& source, const std::string& file);

// Number of points in the product of the axes; 1 when there are no axes. Throws Error(file) when there are more than a
// million.
size_t count_points(const std::vector<Axis>& axes, const std::string& file);

// The index of the value that point `number` has on each axis; the last axis changes fastest.
std::vector<size_t> choice_of(const std::vector<Axis>& axes, size_t number);

// The scenario in which every axis a is replaced by its value number choice[a].
Json with_choice(const Json& source, const std::vector<Axis>& axes, const std::vector<size_t>& choice);

// The files that a scenario stored in `file` refers to with any value of its axes: a map from the path as written to
// the path from the working directory.
std::map<std::string, std::string> referenced_files(const Json& source, const std::string& file);

}  // namespace foreflow::scenario
