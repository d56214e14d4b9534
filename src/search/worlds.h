// The disturbed worlds in which a search tries its strategies: draws from one distribution, the same for every strategy
// (common random numbers), so that strategies are compared on equal terms.
#pragma once

#include <string>
#include <vector>

#include "foreflow/search/cluster.h"
#include "foreflow/search/search.h"

namespace foreflow::search {

struct Worlds {
  size_t count = 0;                          // 0: nothing is disturbed
  simulate::NamedDisturbances distribution;  // world number s has the seed s, from 1 to `count`
  Json said;                                 // the distribution as a scenario says it
  Risk risk = Risk::mean;                    // the time by which strategies are judged
};

// Moves the distribution out of the scenarios, which are then undisturbed. A scenario without one gets the default
// distribution, as far as its engine supports it. Changes nothing without Options::worlds. Throws Error if the
// distribution of the scenario has nothing random.
Worlds take_worlds(std::vector<Cluster>& clusters, const Options& options);

// A lower bound of the time of an iteration without disturbances, times this, is one in each world.
double least_factor(const Worlds& worlds);

// The disturbances of one world on the platform.
simulate::Disturbances disturbances_of(const Worlds& worlds, uint64_t seed, const platform::Platform& platform);

// The 95th percentile is the smallest of `times` that at least 95 % of them do not exceed (nearest rank). Requires: at
// least one time.
Spread spread_of(Seconds undisturbed, std::vector<Seconds> times);

Seconds at_risk(const Spread& spread, Risk risk);

}  // namespace foreflow::search
