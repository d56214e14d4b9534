// How the ways that share a sequence divide attention, where it is one op.
#pragma once

#include <optional>
#include <span>

#include "foreflow/transform/layout.h"
#include "foreflow/transform/split_data.h"

namespace foreflow::transform {

// The operands of BlockAttention that attention_layouts and ring_attention look at.
inline constexpr size_t kQuery = 0, kKey = 1, kValue = 2, kBias = 3;

struct AttentionDecision {
  Decision decision;
  std::vector<Layout> outputs;  // what results are turned into at once
  bool ring = false;            // see ring_attention.h
};

// For BlockAttention and its gradient where queries, keys and values arrive split along their positions; nothing for
// other ops, and where keys are to be gathered. Throws Error where the ways do not divide the heads that all_to_all
// gives them.
std::optional<AttentionDecision> decide_attention(const ir::OpCall& call, std::span<const Layout> arriving, int ways,
                                                  ContextAttention how);

}  // namespace foreflow::transform
