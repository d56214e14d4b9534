// Writes a function whose values go to the host and come back.
#pragma once

#include <set>
#include <vector>

#include "foreflow/ir/module.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {

inline constexpr size_t kNever = SIZE_MAX;

// One value; each step in terms of the ops of the function that is rewritten.
struct HostMove {
  ir::ValueId value;
  int32_t device;          // where it is computed and used
  size_t out    = kNever;  // after this op it is copied to the host; kNever: it is there from its beginning
  size_t back   = kNever;  // before this op the copy back begins; kNever: not here
  size_t needed = kNever;  // before this op it must be on the device; kNever: not here
};

// `callers`: ops that take values that are moved as they are, on the host or on their way back. Results that are moved
// are on the host.
ir::Function with_moves(const ir::Function& function, const ir::OpTable& ops, const std::vector<HostMove>& moves,
                        const std::set<size_t>& callers);

}  // namespace foreflow::transform
