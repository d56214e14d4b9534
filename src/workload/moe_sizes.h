// The sizes of a decoder with mixtures of experts.
#pragma once

#include "foreflow/workload/workload.h"

namespace foreflow::workload {

struct MoeSizes {
  int64_t layers, hidden, ffn, heads, kv_heads, sequence, vocabulary, experts, top_k, shared_experts;
  int64_t groups;    // of each sample, routed one by one
  int64_t capacity;  // tokens of a group that an expert takes
  bool normalise;    // whether the gates of a token add up to 1
  double rotary_base;
  int64_t batch;

  int64_t width() const { return hidden / heads; }
  int64_t tokens() const { return sequence / groups; }
};

// Throws Error at the key that is wrong.
MoeSizes read_moe(const Request& request);

std::vector<Key> moe_keys();

}  // namespace foreflow::workload
