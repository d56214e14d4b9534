// Products of experts of which only some are chosen, as where few tokens are decoded.
#pragma once

#include <string_view>

#include "foreflow/ir/op_def.h"

namespace foreflow::ir {

// On a product with a matrix for each expert, x[e,i,k] * w[e,k,j], whose rows i are places that stand for an equal
// number of tokens each: the probability, from 0 to 1, that none of the tokens of one place chooses a certain expert.
// It is about a single place, so it holds on every part of the batch and of the experts. Absent: all matrices are used.
inline constexpr std::string_view kUnchosen = "unchosen";

// The expected share of the matrices, operand 1, that some token uses: 1 - unchosen^i, of a kernel that reads no
// others. 1 without the attribute, and where sizes are unknown.
double used_share(const OpCall& call);

}  // namespace foreflow::ir
