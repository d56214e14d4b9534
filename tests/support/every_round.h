// Predictions from a few microbatches beside simulations of all (simulate::Options::every_round).
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::test {

scenario::Outcome with_every_round(scenario::Scenario scenario);

// Expects equal figures of devices, links and memory in both.
void expect_same_figures(const scenario::Outcome& few, const scenario::Outcome& all);

}  // namespace foreflow::test
