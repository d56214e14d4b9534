// When the memory of a value is needed for the last time, inside one function.
#pragma once

#include <vector>

#include "foreflow/cost/cost.h"
#include "foreflow/interpret/mixed.h"

namespace foreflow::lower {

// What a caller says about a call: which arguments it needs no longer (the callee may free them), which results it uses.
struct Boundary {
  std::vector<bool> dies;    // per parameter
  std::vector<bool> wanted;  // per result
  auto operator<=>(const Boundary&) const = default;
};

// Values that share memory form one buffer (a Reshape and its operand). `last_use[op]` are the buffers whose last use op is.
struct Liveness {
  std::vector<int32_t> buffer_of;                 // per value; itself if it has memory of its own
  std::vector<Bytes> size;                        // of a buffer, by the number of its first value among the distinct ones
  std::vector<std::vector<int32_t>> freed_after;  // per op: buffers
  std::vector<Boundary> calls;                    // per op; empty for ops of the table
  std::vector<int32_t> unfreed_parameters;        // buffers of parameters that die but are never used: free at the end
  std::vector<ir::ValueId> returned_again;        // results whose memory the caller counts a second time
};

Liveness analyse(const ir::Module& module, const interpret::Instance<interpret::Mixed>& instance, const Boundary& boundary,
                 cost::MemoryRule rule);

}  // namespace foreflow::lower
