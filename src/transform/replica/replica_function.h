// The first ops of a program as a function that every replica calls.
#pragma once

#include <string>
#include <vector>

#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

// In terms of the program. What depends on no parameter is on no device: replicas have their own, and where the rest of
// the program reads it, it is computed there once for all.
struct ReplicaPart {
  size_t ops = 0;                    // so many go into the function; 0: there is none
  std::vector<bool> kept;            // per op of these: a replica needs it
  std::vector<size_t> ops_for_all;   // on no device, and needed outside; ascending
  std::vector<size_t> parameters;    // of the program that the function takes
  std::vector<ir::ValueId> results;  // that the rest of the program reads
};

// For the first `ops` ops of `function`.
ReplicaPart replica_part(const ir::Function& function, size_t ops);

// That function. Its parameters say no types: they are those of the calls.
ir::Function replica_function(ir::Function function, const ReplicaPart& part, std::string name);

}  // namespace foreflow::transform
