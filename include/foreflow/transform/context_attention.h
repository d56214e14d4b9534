// Attention over a sequence that ranks share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// How ranks that share a sequence see keys and values of others. All but the first ask for attention cores that are one
// op (see fuse_attention), which keep no scores.
enum class ContextAttention : uint8_t {
  all_gather,    // all of them at once (Llama 3; Grattafiori et al., 2024)
  ring,          // block by block, sent on from rank to rank (Ring Attention; Liu et al., 2023)
  striped_ring,  // the same with positions dealt out one by one, so that causal blocks are alike (Brandon et al., 2023)
  all_to_all     // all positions for a part of the heads (DeepSpeed-Ulysses; Jacobs et al., 2023)
};

// "all_gather", "ring", "striped_ring", "all_to_all"; Error at `place` otherwise.
std::vector<std::string> context_attention_names();
std::string_view name(ContextAttention attention);
ContextAttention context_attention_named(std::string_view name, const std::string& place);

// Makes one op of each attention core of a forward pass: BlockAttention, which keeps a number a row in place of scores
// and probabilities. Calls are written out. Throws RefusalError where there is none, and at an op that such a core
// cannot have.
ir::Module fuse_attention(const ir::Module& module, const ir::OpTable& ops);

}  // namespace foreflow::transform
