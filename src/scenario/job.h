// What single jobs and several have in common: how a program is simulated, and what a report says beside its timeline.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// Compute time of all devices, by where its prices are from.
using Provenance = std::array<Seconds, cost::kProvenances>;
Provenance provenance_of(const lower::Lowered& lowered);
Json shares_of(const Provenance& seconds);

Flops hardware_flops(const stream::CompactProgram& program);

// By the scenario's engine, as the scenario says.
stream::Timeline simulate_on(const Scenario& scenario, const stream::Program& program,
                             const platform::Platform& platform);

simulate::Run simulate_on(const Scenario& scenario, const stream::CompactProgram& program,
                          const platform::Platform& platform);

report::Job describe(const Scenario& scenario, const Sequential& sequential, const lower::Lowered& lowered);

}  // namespace foreflow::scenario
