// Scenarios of small models on small machines: any strategy, placement and disturbance.
#pragma once

#include <optional>
#include <random>

#include "foreflow/scenario/run.h"

namespace foreflow::test {

using Random = std::mt19937_64;

// Nothing where the strategy is not legal for the machine. Whether it is for the model, a run tells.
std::optional<scenario::Scenario> random_scenario(Random& rng, scenario::PlatformRef& platform);

}  // namespace foreflow::test
