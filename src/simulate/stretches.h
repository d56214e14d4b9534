// Stretches of items in every stream of a folded program, and programs that have them more often.
#pragma once

#include <optional>
#include <vector>

#include "simulate/fold_compact.h"

namespace foreflow::simulate {

struct Stretch {
  size_t first, count;  // items of the stream
};
using Stretches = std::vector<Stretch>;  // by stream

// Whether all that the stretches make in the memory of a device is freed in them.
bool keep_memory(const stream::Program& program, const Stretches& stretches);

// The program with every stretch so many times more. Nothing when that is no program.
std::optional<FoldedProgram> with_more(const FoldedProgram& folded, const Stretches& stretches, int64_t times);

// How often all devices execute each of Program::computes in the stretches.
std::vector<int64_t> executions(const stream::Program& program, const Stretches& stretches);

}  // namespace foreflow::simulate
