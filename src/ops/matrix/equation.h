// The equation of an Einsum: a label for each dimension, as in "bij,bjk->bik". A label that the result lacks is summed.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// Every operand and the result with one label a dimension. The dimensions of an ellipsis have the labels '0', '1', ...,
// counted from its right end, so that they align as in broadcasting.
struct Equation {
  std::vector<std::string> operands;
  std::string result;

  std::string labels() const;      // each once, in order of appearance
  bool repeats(char label) const;  // within one operand (a diagonal)
};

// Fails where the text and the ranks of the operands, which must be known, do not fit together.
Equation equation_of(const OpCall& call);

// The size of a label; a dimension of 1 stretches. Fails where two sizes differ.
int64_t size_of_label(const OpCall& call, const Equation& equation, char label);

}  // namespace foreflow::ops
