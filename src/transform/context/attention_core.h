// Reads attention cores out of the ops of a program: what they are as one op.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "foreflow/transform/context_attention.h"
#include "transform/context/known_function.h"

namespace foreflow::transform {

// softmax(scale * q k + biases) v, with the scores of no key behind its query if it is causal.
struct AttentionCore {
  ir::ValueId q{}, k{}, v{};
  bool keys_are_rows = false;  // k[b,n,t,d], not [b,n,d,t]
  double scale       = 1;
  bool causal        = false;
  std::vector<ir::ValueId> biases;
  std::optional<ir::Dims> grouped;    // scores [b,n,g,s,t]
  double dropout = 0;                 // of probabilities
  std::optional<ir::Attribute> seed;  // of `dropout`
};

using AttentionCores = std::map<size_t, AttentionCore>;  // by their last op

// The cores of the function that one BlockAttention each can compute.
//
// 1. Queries and keys that a number multiplies before come without it, which joins `scale`.
// 2. A guard of probabilities, Where(IsNaN(%p), 0, %p), is left out: the op gives 0 to a row that sees nothing.
// 3. A causal mask is no bias.
//
// Cores::all: throws RefusalError for a core with an op that BlockAttention cannot express. Cores::possible: leaves it
// out.
AttentionCores read_attention_cores(const KnownFunction& of, Cores wanted);

}  // namespace foreflow::transform
