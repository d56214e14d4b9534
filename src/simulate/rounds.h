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

// Of a program of so many rounds: in every stream, a stretch of items that stands for a number of rounds, the same for
// all, follows one like it and is followed by one like it. What is executed equally often in each round tells how many
// rounds a stretch has. Nothing where a stream has no such stretch, or the stretches change what is in memory.
std::optional<RoundStretches> find_rounds(const stream::Program& program, const std::vector<int32_t>& kind_of_instance,
                                          int64_t rounds);

}  // namespace foreflow::simulate
