// Functions shared by scenarios with one job and with several: simulation of a program, and facts for its report.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// Compute time of all devices by provenance of its prices.
using Provenance = std::array<Seconds, cost::kProvenances>;
// `counts`: how often each of the computes is executed.
Provenance provenance_of(const lower::Lowered& lowered, const std::vector<int64_t>& counts);
Json shares_of(const Provenance& seconds);

Flops hardware_flops(const stream::CompactProgram& program, const std::vector<int64_t>& counts);

inline void tell(const Finished& finished, size_t step) {
  if (finished) finished(step);
}

// Simulates by the scenario's engine with its options.
stream::Timeline simulate_on(const Scenario& scenario, const stream::Program& program,
                             const platform::Platform& platform);

simulate::Run simulate_on(const Scenario& scenario, const stream::CompactProgram& program,
                          const platform::Platform& platform, const simulate::Known& known = {});

// Unless it is empty or there already.
void add_once(std::vector<std::string>& sentences, const std::string& sentence);
// Returns the assumptions of the cost model about the devices of the platform, and those of the times of hosts about
// their CPUs. Each sentence stands once.
std::vector<std::string> assumptions(const cost::CostModel& cost, const lower::HostCosts& host,
                                     const platform::Platform& platform);

report::Job describe(const Scenario& scenario, const Sequential& sequential, const lower::Lowered& lowered,
                     const platform::Platform& platform, const std::vector<int64_t>& counts);

}  // namespace foreflow::scenario
