// Outlines the first ops of a program as a function that every replica calls.
#pragma once

#include <string>
#include <vector>

#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

// The part of a program that becomes this function. An op that depends on no parameter is on no device: every replica
// has its own copy, and if the rest of the program reads the value, the program computes it once more for itself.
struct ReplicaPart {
  size_t ops = 0;                    // the number of ops that go into the function; 0: there is none
  std::vector<bool> kept;            // per such op: whether a replica needs it
  std::vector<size_t> ops_for_all;   // ops on no device that the rest of the program needs; ascending
  std::vector<size_t> parameters;    // the parameters of the program that the function takes
  std::vector<ir::ValueId> results;  // the values that the rest of the program reads
};

// For the first `ops` ops of `function`.
ReplicaPart replica_part(const ir::Function& function, size_t ops);

// The function of `part`. Its parameters state no types; they get those of the arguments of its calls.
ir::Function replica_function(ir::Function function, const ReplicaPart& part, std::string name);

}  // namespace foreflow::transform
