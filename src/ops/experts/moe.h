// Experts' seats: which tokens of a group each expert of a mixture takes, and where in its buffer they sit (GShard,
// Lepikhin et al., 2021). A gate other than zero asks for a seat; an expert takes the first `capacity` tokens of a
// group that ask, in their order. So one column of gates[g,s,e] settles one expert in one group, and g and e may be
// split.
#pragma once

#include "ops/common/axes.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops {

// Rows of h numbers: `token` in x[g,s,h], `row` in the buffer y[e,g,c,h]; `gate` is an element of gates[g,s,e].
struct Seat {
  size_t token, row, gate;
};
std::vector<Seat> seats(const Array& gates, int64_t capacity);

// A tensor of three (x, gates) or four (buffer) dimensions; fails for another rank.
Type ranked_operand(const OpCall& call, size_t index, size_t rank);

// Fails where two known dimensions that stand for the same thing differ.
void check_same(const OpCall& call, std::string_view letter, int64_t a, int64_t b);

// Attribute `weighted`: whether what moves is multiplied with its gate.
bool weighs(const OpCall& call);

// The gates of the ops' samples, [2,5,4]: two experts for each token; or one for every token with none zero.
Array sparse_gates();
Array full_gates();

}  // namespace foreflow::ops
