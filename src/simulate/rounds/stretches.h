// Stretches of items in every stream of a folded program, and programs in which they are repeated.
#pragma once

#include <optional>
#include <vector>

#include "simulate/fold/fold_compact.h"

namespace foreflow::simulate {

struct Stretch {
  size_t first, count;  // items of the stream
};
using Stretches = std::vector<Stretch>;  // by stream

// True if the stretches of these streams, in their order, free all the memory that they allocate, on every device.
bool keep_memory(const stream::Program& program, const std::vector<size_t>& streams, const Stretches& stretches);

// The program with the stretch of each stream repeated as many more times. Nothing if the result is not a valid
// program. One that is made of a lengthened program has no storage.
std::optional<FoldedProgram> with_more(const FoldedProgram& folded, const Stretches& stretches,
                                       const std::vector<int64_t>& times);

// Per entry of Program::computes: the number of executions in the stretches, on all devices.
std::vector<int64_t> executions(const stream::Program& program, const Stretches& stretches);

}  // namespace foreflow::simulate
