// The sizes of a decoder with mixtures of experts.
#pragma once

#include "workload/attention.h"

namespace foreflow::workload {

// Routing of the tokens of a sample: in groups, one group after the other.
struct Routing {
  int64_t groups, tokens;  // number of groups of a sample, and of tokens of a group
  int64_t capacity;        // most tokens of a group for one expert
};

struct MoeSizes {
  int64_t layers, hidden, ffn, heads, kv_heads, head_size, sequence, context, vocabulary, experts, top_k,
      shared_experts;
  int64_t dense_layers, dense_feed_forward;  // the first layers have one MLP of this width in place of experts
  int64_t groups;                            // of each sample
  double capacity_factor;
  bool normalise;       // whether the gates of a token add up to 1
  double balance_loss;  // weight of the routers' loss in training
  double rotary_base;
  bool fp32_residual;
  int64_t batch;
  ir::DType kept_as;  // keys and values

  Heads attention() const { return {heads, kv_heads, head_size}; }
  // The routing of a pass with `tokens` tokens per sample. A single decoded token is never dropped.
  Routing routing(int64_t rows) const;
};

// Throws Error at the key that is wrong.
MoeSizes read_moe(const FilledValues& values, const Request& request);

const std::vector<Key>& moe_keys();

}  // namespace foreflow::workload
