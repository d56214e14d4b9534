// The activation in which FusedConv and FusedGemm of com.microsoft end.
#pragma once

#include "ops/common/table_rows.h"
#include "ops/common/work.h"

namespace foreflow::ops {

// The name of the activation's row in the op table, and its attributes under the names that they have there.
struct FusedActivation {
  std::string name;
  Attributes attributes;
};

// Reads `activation` (Relu where it is absent) and the activation's own attributes, which stand one by one as
// `activation_NAME`, or as the list `activation_params`: alpha and beta, or the limits of Clip.
FusedActivation fused_activation(const Attributes& attributes);

// Fails unless the activation is a row that computes.
FusedActivation activation_of(const OpCall& call);

// Fails unless the activation keeps the type of what it is applied to.
void check_activation(const OpCall& call, const Type& type);

// Applies the activation to a Float64 result and rounds to the type of the first operand.
Array activated(const OpCall& call, const Array& x);

inline Work with_activation(const OpCall& call, std::span<const Type> outputs, Work work) {
  work.flops += row_of(activation_of(call).name).work({call.def, call.attributes, outputs, {}, 1}, outputs).flops;
  return work;
}

// The factors of the op without those dimensions that it sums over: an activation cannot be applied to partial sums.
inline Factors without_sums(Factors factors) {
  const size_t arrow = factors.text.find("->");
  if (arrow == std::string::npos) return factors;
  const std::string output = factors.text.substr(arrow);
  for (size_t i = 0; i < arrow; ++i) {
    char& letter = factors.text[i];
    if (letter != ',' && letter != '+' && output.find(letter) == std::string::npos) letter = '.';
  }
  std::erase(factors.text, '+');
  return factors;
}

}  // namespace foreflow::ops
