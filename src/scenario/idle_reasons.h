// Clauses that say why a key changes nothing in a scenario; each is "" where the key does something.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/report/summary.h"
#include "foreflow/scenario/scenario.h"

namespace foreflow::scenario {

inline std::string unless(bool needed, std::string_view why) { return needed ? std::string() : std::string(why); }
inline std::string unless_sharded(const Scenario& scenario) { return unless(scenario.strategy.tp > 1, "tp is 1"); }
inline std::string unless_pipelined(const Scenario& scenario) { return unless(scenario.strategy.pp > 1, "pp is 1"); }
// Weights have copies in replicas, and in the ranks of a context.
inline std::string unless_copied(const Scenario& scenario) {
  const Strategy& strategy = scenario.strategy;
  if (!scenario.workload.trains()) return "inference has no gradients";
  return unless(strategy.dp > 1 || strategy.most_contexts() > 1, "dp and cp are 1");
}
inline std::string unless_weights_split(const Scenario& scenario) {
  return unless(scenario.strategy.zero == 3, "weights are not split");
}

// Returns true if the program has attention as one op, which keeps no scores.
bool has_fused_attention(const report::Summary& summary);

// For a key that is a flag, or a number of which 0 asks for nothing.
template <auto Member, std::string (*kUnless)(const Scenario&)>
std::string idle_flag(const Scenario& scenario) {
  return static_cast<bool>(scenario.strategy.*Member) ? kUnless(scenario) : std::string();
}

}  // namespace foreflow::scenario
