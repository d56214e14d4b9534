// Parses the text of ir::Factors. For example, "ik,kj,+j->ij" has the inputs ik, kj and j (added once) and the output
// ij. In "ab,ab->ab,ab;b" of MPIReduceScatter, the letter after ';' consists of Factors::blocks blocks in the inputs,
// as the letter Factors::blocked does in the outputs of MPIAllgather.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foreflow::transform {

struct FactorText {
  std::vector<std::string> inputs, outputs;
  int once    = -1;  // the input marked '+'
  int linear  = -1;  // the input marked '~', in which the op is linear while the others are whole
  char parted = 0;   // the letter after ';'
};

// An empty text has no operands.
FactorText parse_factors(std::string_view text);

// Returns true if the first two operands share a letter that the first result does not have, as in products: the op
// sums over it. False if there are fewer operands, or no result.
bool is_contraction(const FactorText& text);

}  // namespace foreflow::transform
