// Liveness within one function: which op is the last to use the memory of a value.
#pragma once

#include <span>
#include <vector>

#include "foreflow/cost/cost.h"
#include "foreflow/interpret/mixed.h"

namespace foreflow::lower {

// The statements of a caller about a call: which arguments it no longer needs (the callee may free them), and which
// results it uses. They are bytes rather than bits, because schedules compare them a hundred thousand times.
struct Boundary {
  std::vector<uint8_t> dies;    // per parameter
  std::vector<uint8_t> wanted;  // per result
  auto operator<=>(const Boundary&) const = default;
};

// Values that share memory, such as a Reshape and its operand, form one buffer.
struct Liveness {
  std::vector<int32_t> buffer_of;           // per value; itself if it has memory of its own
  std::vector<Bytes> size;                  // of a buffer, by the number of its first value among the distinct ones
  std::vector<int32_t> freed;               // buffers, by the op whose last use they are
  std::vector<uint32_t> first_freed;        // per op, and the end: into `freed`
  std::vector<Boundary> calls;              // per call, in the order of the ops
  std::vector<int32_t> unfreed_parameters;  // buffers of parameters that die but are never used: free at the end
  // Results in a buffer that the caller holds already, as an argument or as another result. The caller frees each
  // result for itself, so the bytes of such a buffer are added once more for each of them.
  std::vector<ir::ValueId> returned_again;

  std::span<const int32_t> freed_after(size_t op) const {
    return std::span(freed).subspan(first_freed[op], first_freed[op + 1] - first_freed[op]);
  }
};

// Returns true if the results of an op are where operands were that nothing needs any longer: the elements of a tuple,
// parts of a whole, and a whole to whose places its parts were written.
bool results_stay_in_place(const ir::Op& op, cost::MemoryRule rule);

Liveness analyse(const ir::Module& module, const interpret::Instance<interpret::Mixed>& instance,
                 const Boundary& boundary, cost::MemoryRule rule);

}  // namespace foreflow::lower
