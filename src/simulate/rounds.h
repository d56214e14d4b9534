// The rounds of a loop in a folded program, such as the microbatches of a pipeline: in the middle of each stream the
// same items come again for each round, or for each so many rounds.
//
//     F0 F1 F2 | F3 B0 | F4 B1 | F5 B2 | B3 B4 B5        1F1B: a forward and a backward a round
#pragma once

#include <optional>

#include "simulate/stretches.h"

namespace foreflow::simulate {

struct RoundStretches {
  Stretches stretches;
  int64_t rounds;  // that each of them stands for
};

// Of a program whose root calls functions equally often in each of so many rounds: in every stream, a stretch of items
// that stands for a number of rounds, the same for all, follows one like it and is followed by one like it. Calls tell
// how many rounds a stretch has, and for streams without calls the communications with others. Nothing where a stream
// has no such stretch, or the stretches change what is in memory.
std::optional<RoundStretches> find_rounds(const FoldedProgram& folded, int64_t rounds);

}  // namespace foreflow::simulate
