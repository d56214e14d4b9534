// Decoders that read a sequence at once, or write one more token with a cache of keys and values; and attention with
// rotary positions and groups of heads, as LLaMA and Mixtral have it.
// Letters: b batch, s sequence, t key rows, h hidden, a heads, n heads of keys and values, d size of a head.
#pragma once

#include <string>

#include "workload/attention.h"

namespace foreflow::workload {

// The tokens of each sample that one pass of a decoder processes, and those it caches.
struct Pass {
  int64_t rows;  // tokens that are new
  Masking masking;
  ir::DType kept_as;                          // type of `kept`
  std::optional<Cache> cache = std::nullopt;  // of the tokens before them
  Values kept                = {};            // keys and values of every layer

  int64_t keys() const { return cache ? cache->room : rows; }
};
Pass reads(Network& net, int64_t rows, ir::DType kept_as);  // each token sees those before it
Pass writes_next(Network& net, int64_t batch, int64_t context, ir::DType kept_as);

// Keys or values for attention, of the network's type: fresh[b,n,rows,d], behind those of the data parameter `name`
// where the pass has a cache. Those of another type are kept so first: attention sees what later steps will see.
Value kept(Network& net, const std::string& name, Value fresh, const Heads& heads, Pass& pass);

// The row of the last token, [b,1,h], of a pass that reads.
Value last_row(Network& net, Value x, const Pass& pass);

// Inference from `layers`(Pass&) -> x[b,rows,h] and `logits`(x[b,1,h]) -> [b,v]. Results: logits of the token after the
// prompt (prefill) or of the next one (decode); then keys and values[b,n,t,d] of every layer, with the new token in
// them.
struct Lengths {
  int64_t batch, sequence, context;
  ir::DType kept_as;
};
template <class Layers, class Logits>
Model inference(Network& net, Phase phase, const Lengths& lengths, const Layers& layers, const Logits& logits) {
  const bool prompt = phase == Phase::prefill;
  Pass pass         = prompt ? reads(net, lengths.sequence, lengths.kept_as)
                             : writes_next(net, lengths.batch, lengths.context, lengths.kept_as);
  const Value x     = layers(pass);
  Values results{logits(prompt ? last_row(net, x, pass) : x)};
  results.insert(results.end(), pass.kept.begin(), pass.kept.end());
  return {net.finish(results), prompt ? lengths.sequence : 1};
}

// Angles for the positions of a pass.
Rotary rotary_of(Network& net, const Pass& pass, int64_t size, int64_t base);

// x[b,rows,h] -> [b,rows,h], where heads together may be wider than h or narrower; weights NAMEattention.wq, .wk, .wv
// and .wo without biases, caches NAMEkeys and NAMEvalues.
Value rotary_attention(Network& net, const std::string& name, Value x, int64_t hidden, const Heads& heads,
                       const Rotary& rotary, Pass& pass);

// (silu(x gate) * (x up)) down without biases (SwiGLU; Shazeer, 2020); weights NAMEw1, w3 and w2.
Value gated_mlp(Network& net, const std::string& name, Value x, int64_t hidden, int64_t feed_forward);

// Error at key `heads` where their size is odd, at `kv_heads` where it does not divide the heads.
void check_rotary_heads(const KeyValues& sizes, const Heads& heads);

}  // namespace foreflow::workload
