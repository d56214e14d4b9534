// The sizes of a decoder with mixtures of experts.
#pragma once

#include "workload/attention.h"

namespace foreflow::workload {

// How the tokens of a sample are routed: in groups, one by one.
struct Routing {
  int64_t groups, tokens;  // of a sample, of a group
  int64_t capacity;        // tokens of a group that an expert takes
};

struct MoeSizes {
  int64_t layers, hidden, ffn, heads, kv_heads, sequence, context, vocabulary, experts, top_k, shared_experts;
  int64_t dense_layers, dense_feed_forward;  // the first layers have one MLP of this width in place of experts
  int64_t groups;                            // of each sample
  double capacity_factor;
  bool normalise;       // whether the gates of a token add up to 1
  double balance_loss;  // weight of the routers' loss in training
  double rotary_base;
  int64_t batch;

  int64_t width() const { return hidden / heads; }
  Heads attention() const { return {heads, kv_heads, width()}; }
  // Of a pass with so many tokens of each sample. A single one, which is decoded, is never dropped.
  Routing routing(int64_t rows) const;
};

// Throws Error at the key that is wrong.
MoeSizes read_moe(const Request& request);

std::vector<Key> moe_keys();

}  // namespace foreflow::workload
