// The members of a scenario that depend on its strategy.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// The part under its own key, so that messages name it; empty when it is absent.
JsonView part_or_empty(const JsonView& root, std::string_view key);

// Reads cost, hosts and collectives of the object `root` into `scenario`. Requires: it has its workload and strategy.
void read_rest(const JsonView& root, Scenario& scenario);

}  // namespace foreflow::scenario
