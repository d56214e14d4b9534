// How attention that is a single op is divided over the ways that share a sequence.
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
  std::vector<Layout> outputs;  // the layouts that the results are converted to immediately
  bool ring = false;            // see ring_attention.h
};

// The attributes of a causal BlockAttention or its gradient on the rows that a way has, if the decision gives each way
// some of the rows and all of the keys; otherwise nothing.
std::optional<ir::Attributes> attributes_of_rows(const ir::OpCall& call, const Decision& decision, int ways, int way);

// Decides how a BlockAttention or its gradient runs, if its queries, keys and values arrive split along their
// positions. Nothing for any other call, and for all_gather without a causal mask, since the factors of the op then
// suffice. Throws RefusalError if `ways` does not divide the number of heads that all_to_all distributes.
std::optional<AttentionDecision> decide_attention(const ir::OpCall& call, std::span<const Layout> arriving, int ways,
                                                  ContextAttention how);

}  // namespace foreflow::transform
