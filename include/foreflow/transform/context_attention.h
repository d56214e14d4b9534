// Attention in one op, which keeps no scores, and over a sequence whose positions are split over several ranks (context
// parallelism).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// How a rank gets the keys and values of the other ranks. All but `all_gather` require attention cores that are a
// single op (see fuse_attention).
enum class ContextAttention : uint8_t {
  all_gather,  // every rank gathers all keys and values (Llama 3; Grattafiori et al., 2024)
  // the same, with positions dealt out round-robin, which balances causal masks
  striped_all_gather,
  ring,          // blocks of keys and values travel from rank to rank in a ring (Ring Attention; Liu et al., 2023)
  striped_ring,  // the same, with positions dealt out round-robin, which balances causal masks (Brandon et al., 2023)
  all_to_all     // a rank gets all positions for some of the heads (DeepSpeed-Ulysses; Jacobs et al., 2023)
};

// The names are those of the enumerators. context_attention_named throws Error at `where` for any other name.
std::vector<std::string> context_attention_names();
std::string_view name(ContextAttention attention);
ContextAttention context_attention_named(std::string_view name, const std::string& where);

// The form of the attention cores in the program: one op each, or the ops of which they consist.
enum class Attention : uint8_t {
  flash,   // those that BlockAttention can express are (Dao, 2023, FlashAttention-2)
  unfused  // no: scores and probabilities are written, read and kept
};

// As above.
std::vector<std::string> attention_names();
std::string_view name(Attention attention);
Attention attention_named(std::string_view name, const std::string& where);

enum class Cores : uint8_t { all, possible };

// Replaces attention cores of a forward pass (scores, Softmax, product with the values) by one BlockAttention each,
// which stores one number per row instead of scores and probabilities. Calls are inlined first.
//
// copies_result: what a core makes is copied into the order of the layer behind it, and what its gradient reads back,
// as where activations lie sequence first, [s,b,h], and kernels write [b,s,h]. Without it both are read where they are.
//
// Cores::all: throws RefusalError if the program has no attention core, or if a core contains an op that BlockAttention
// cannot express, such as a Tanh of scores. Cores::possible: leaves such cores as they are.
ir::Module fuse_attention(const ir::Module& module, const ir::OpTable& ops, Cores cores = Cores::all,
                          bool copies_result = false);

// A sentence on the first mask of a fused program, a square matrix for all heads alike, of which it is not known
// whether it hides later keys: all its scores are computed. Empty: there is none.
std::string remark_on_masks(const ir::Module& fused);

}  // namespace foreflow::transform
