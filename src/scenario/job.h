// What a report says of a job beside its timeline.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// Compute time of all devices, by where its prices are from.
using Provenance = std::array<Seconds, cost::kProvenances>;
Provenance provenance_of(const lower::Lowered& lowered);
Json shares_of(const Provenance& seconds);

Flops hardware_flops(const stream::Program& program);

report::Job describe(const Scenario& scenario, const Sequential& sequential, const lower::Lowered& lowered);

}  // namespace foreflow::scenario
