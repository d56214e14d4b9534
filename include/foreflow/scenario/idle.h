// Keys of a scenario that are given and change nothing in it, so that users draw no conclusions from them.
#pragma once

#include <string>
#include <vector>

#include "foreflow/report/summary.h"
#include "foreflow/scenario/scenario.h"

namespace foreflow::scenario {

struct IdleKey {
  std::string where;  // "gpt.json: $.strategy.context_attention"
  std::string why;    // "cp is 1"
};

// In the order of their tables, those of the strategy as the scenario states them. A key with its default, or with a
// value such as `false` that asks for nothing, is none. `summary` is that of the scenario: an algorithm for a kind of
// collective that it does not have is one.
std::vector<IdleKey> idle_keys(const Scenario& scenario, const report::Summary& summary);

}  // namespace foreflow::scenario
