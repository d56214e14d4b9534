// Rewrites a function so that some of its values are moved to the memory of the host and back.
#pragma once

#include <set>
#include <vector>

#include "foreflow/ir/module.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {

inline constexpr size_t kNever = SIZE_MAX;

// The moves of one value. Times are indices of ops of the original function.
struct HostMove {
  ir::ValueId value;
  int32_t device;          // where it is computed and used
  size_t out    = kNever;  // it is copied to the host after this op; kNever: it begins on the host
  size_t back   = kNever;  // the copy back begins before this op; kNever: it does not come back in this function
  size_t needed = kNever;  // it must be on the device before this op; kNever: it is not needed in this function
};

// `callers` are the ops that accept moved values wherever they are, on the host or on their way back. Moved values
// among the results are on the host.
ir::Function with_moves(const ir::Function& function, const ir::OpTable& ops, const std::vector<HostMove>& moves,
                        const std::set<size_t>& callers);

}  // namespace foreflow::transform
