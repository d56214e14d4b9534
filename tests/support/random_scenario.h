// Scenarios of small models on small machines: any strategy, placement and disturbance.
#pragma once

#include <optional>
#include <random>

#include "foreflow/scenario/run.h"

namespace foreflow::test {

using Random = std::mt19937_64;

// Nothing where the strategy is not legal for the machine. Whether it is for the model, a run tells.
std::optional<scenario::Scenario> random_scenario(Random& rng, scenario::PlatformRef& platform);

// The outcome where every device is simulated by itself, or, with `fold`, one for all that are alike. Nothing where the
// strategy is not legal for the model. `every_round` as in simulate::Options.
std::optional<scenario::Outcome> outcome_if_legal(scenario::Scenario scenario, const scenario::PlatformRef& platform,
                                                  bool fold, bool every_round = false);

}  // namespace foreflow::test
