// How messages cross the core, the same for cores whose routes follow from a rule and for those that are searched.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "platform/routes/ecmp.h"
#include "platform/routes/islands.h"

namespace foreflow::platform {

// Between switches that have ports, by their index in Core::switches.
struct CoreWays {
  std::function<Cost(int from, int to)> cost;  // kFar when there is no way
  // Appends the steps of the way that the rule chooses for the flow.
  std::function<void(int from, int to, Flow flow, std::vector<int>& steps)> walk;
};

// For a core without a rule: routes are found in its network when they are asked for. Not thread-safe.
CoreWays find_ways(Core core, const EcmpRule& rule);

}  // namespace foreflow::platform
