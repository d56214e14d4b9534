// Recursive halving and doubling among 2^k members, distance 1 first when halving: the large parts stay near.
#pragma once

#include <vector>

#include "foreflow/collective/collective.h"

namespace foreflow::collective {

// `members`: 2^k ranks; `chunks[i]`: the chunk that member i has at the end of halving and at the beginning of
// doubling. Each appends k steps; in the step of bit b members i and i ^ 2^b exchange.
void halve(std::vector<std::vector<Transfer>>& steps, const std::vector<int>& members, const std::vector<int>& chunks);
void double_up(std::vector<std::vector<Transfer>>& steps, const std::vector<int>& members,
               const std::vector<int>& chunks);

// The same exchanges as flows, one per member and step, without listing 4^k chunks. Each appends one phase per step.
void halve(FlowPlan& plan, const std::vector<int>& members, const Group& group);
void double_up(FlowPlan& plan, const std::vector<int>& members, const Group& group);

}  // namespace foreflow::collective
