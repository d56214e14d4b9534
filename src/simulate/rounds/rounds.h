// The rounds of a loop in a folded program, such as the microbatches of a pipeline. In the middle of each stream, the
// same sequence of items repeats every round, or every few rounds.
//
//     F0 F1 F2 | F3 B0 | F4 B1 | F5 B2 | B3 B4 B5        1F1B: a forward and a backward a round
#pragma once

#include <optional>

#include "foreflow/simulate/simulate.h"
#include "simulate/rounds/stretches.h"

namespace foreflow::simulate {

struct RoundStretches {
  Stretches stretches;
  Stretches loops;  // by stream: around it, what belongs to the loop; empty for a stream that has no part in it
  int64_t rounds;   // the number of rounds in each of `stretches`
};

// For a program whose root calls each function equally often in each of the `rounds.held` rounds, or as `rounds.calls`
// says. Finds in every stream a stretch of items that contains the same number of rounds in all streams, with an equal
// stretch before it and another one after it. The number of rounds in a stretch follows from its calls or, in a stream
// without calls, from its communications with other streams. Nothing if a stream has no such stretch, or if the
// stretches change the memory in use.
std::optional<RoundStretches> find_rounds(const FoldedProgram& folded, const Rounds& rounds);

}  // namespace foreflow::simulate
