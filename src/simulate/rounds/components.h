// Which streams of a loop affect each other.
//
// The replicas of a pipeline meet only after the loop over their microbatches, when they add up their gradients. Those
// with a slow device, or with a stage on another server, take longer for a round than the others, and each has a period
// of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/rounds/stretches.h"

namespace foreflow::simulate {

// The streams of each part of a program that runs by itself until the loop ends, in the order of their numbers. Two
// streams are in one part if they are of one device, or if communications of which an execution is among the stretches
// of `loop`, or before one, have both as members or load one link.
std::vector<std::vector<size_t>> components(const FoldedProgram& folded, const Stretches& loop);

}  // namespace foreflow::simulate
