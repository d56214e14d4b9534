// The assumptions of a prediction if the scenario names no framework and leaves keys out.
#pragma once

#include <string>
#include <vector>

#include "foreflow/scenario/scenario.h"

namespace foreflow::scenario {

struct Assumption {
  std::string key;   // that says otherwise: "collective.library", or a member of the scenario: "host"
  std::string what;  // "collectives start at once and are as fast as the wires allow"
};

// In the order of their table: those that matter for the scenario and whose key it does not give.
std::vector<Assumption> assumptions(const Scenario& scenario);

}  // namespace foreflow::scenario
