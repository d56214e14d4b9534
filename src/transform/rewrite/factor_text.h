// The text of ir::Factors taken apart: "ik,kj,+j->ij" has the inputs ik, kj, j (added once) and the output ij. A letter
// after
// ';' counts Factors::blocks blocks in the inputs ("ab,ab->ab,ab;b" of MPIReduceScatter), as Factors::blocked does in
// the outputs of MPIAllgather.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foreflow::transform {

struct FactorText {
  std::vector<std::string> inputs, outputs;
  int once    = -1;  // the input marked '+'
  int linear  = -1;  // the input marked '~': the op is linear in it, so partial sums pass where the others are whole
  char parted = 0;   // the letter after ';'
};

// An empty text gives no operands at all.
FactorText parse_factors(std::string_view text);

}  // namespace foreflow::transform
