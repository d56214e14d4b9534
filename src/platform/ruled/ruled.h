// Platforms by rule, from the layout of a recipe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platform/layout/layout.h"
#include "platform/routes/core_ways.h"

namespace foreflow::platform {

// Throws Error(name, ...) as cut() does. The core has no network where ways_by_rule() knows the ways.
Parts parts_of(const Layout& layout, const std::string& name);

// Returns true if each node is an island and the fabric is the core. If not, parts_of() cuts the graph.
bool is_regular(const Layout& layout);

// Returns true if the layout is regular and its fabric has a rule. The rule holds as long as all trunks have the same
// latency.
bool has_ways_by_rule(const Layout& layout);
CoreWays ways_by_rule(std::shared_ptr<const Layout> layout, const EcmpRule& rule);

// Requires: it is regular, and the fabric has a path.
std::function<void(int from, int to, Flow flow, std::vector<int>& steps)> walk_by_path(
    std::shared_ptr<const Layout> layout);

// Returns the rotation of the layout by the parts of its fabric that lie in a circle, or by more of them at once where
// the rule needs it; of a single part where there is none.
Rotation rotation_of(const Layout& layout, const EcmpRule& rule);

// Returns the graph that a file of the layout would declare.
Graph graph_of(const Layout& layout);

}  // namespace foreflow::platform
