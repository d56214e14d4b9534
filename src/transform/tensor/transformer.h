// Recognises the blocks of a transformer that Megatron-LM splits (Shoeybi et al., 2019), by the structure of the
// computation.
//
//   attention   x -> q, k, v (one product or several, by columns) -> softmax(q k') v -> output projection (by rows);
//               k and v may be written to caches first, or be data that an earlier run left
//   mlp         x -> up, and gate (by columns) -> element by element -> down (by rows)
#pragma once

#include <string>
#include <vector>

#include "transform/tensor/linears.h"

namespace foreflow::transform {

struct TransformerBlock {
  enum class Kind : uint8_t { attention, mlp };
  Kind kind;
  std::vector<Linear> columns, rows;
  bool only_queries = false;  // of attention: keys and values are data
};

struct Transformer {
  std::vector<TransformerBlock> blocks;
  std::set<size_t> embeddings;  // parameters: the embedding tables of the vocabulary
  // Linear layers of which only heads are returned (are_heads), for what attends to them later: keys and values of a
  // prefill of encoder and decoder. With their number as Linear::cache_heads.
  std::vector<Linear> kept;
  std::vector<Linear> heads;  // other linear layers after which no other one comes before a result or a loss
};

Transformer recognise(const ir::Function& function, const interpret::Values<interpret::Mixed>& values);

// One line for each kind of block, of returned heads, embedding and head: "2 attention blocks (q|k|v in one product)",
// "1 MLP block (up and gate)", "embedding %wte", "LM head %wte, tied to the embedding".
std::vector<std::string> describe(const Transformer& transformer, const ir::Function& function);

}  // namespace foreflow::transform
