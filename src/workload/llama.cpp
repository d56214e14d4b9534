#include <cmath>

#include "attention.h"
#include "layers.h"
#include "sizes.h"

namespace foreflow::workload::definitions {
namespace {

struct Sizes {
  int64_t layers, hidden, feed_forward, sequence, context, vocabulary, rotary_base, batch;
  Heads heads;
};

Sizes read(const Request& request) {
  const JsonView& json = request.sizes;
  const int64_t hidden = positive(json, "hidden", 4096), heads = positive(json, "heads", 32);
  const int64_t kv_heads = positive(json, "kv_heads", heads), sequence = positive(json, "sequence", 4096);
  const int64_t size = head_size(json, hidden, heads);
  if (heads % kv_heads != 0) {
    refuse(
        json, "kv_heads",
        std::to_string(kv_heads) + " does not divide the " + std::to_string(heads) + " heads; use a divisor of them");
  }
  if (size % 2 != 0)
    refuse(json, "heads", "heads of size " + std::to_string(size) + " cannot be rotated; an even size would be right");
  return {.layers       = positive(json, "layers", 32, kMostLayers),
          .hidden       = hidden,
          .feed_forward = positive(json, "feed_forward", 11008),
          .sequence     = sequence,
          .context      = positive(json, "context", sequence),
          .vocabulary   = positive(json, "vocabulary", 32000),
          .rotary_base  = positive(json, "rotary_base", 10000),
          .batch        = request.batch,
          .heads        = {heads, kv_heads, size}};
}

// LLaMA (Touvron et al., 2023; Grattafiori et al., 2024): pre-norm decoder with RMSNorm, rotary embeddings, SwiGLU,
// grouped-query attention, no biases, output weights of its own.
// Letters: b batch, s sequence, h hidden, a heads, n heads of keys and values, d = h/a, f feed-forward, v vocabulary.
class Writer {
 public:
  Writer(const Sizes& sizes, const Request& request, const ir::OpTable& ops)
      : sizes_(sizes),
        net_("llama", request.dtype, ops),
        scale_(1 / std::sqrt(static_cast<double>(sizes.heads.size))) {}

  ir::Module training() {
    const Value x      = layers(sizes_.sequence, first());
    const Value labels = net_.integers("labels", {sizes_.batch, sizes_.sequence});
    return net_.finish({cross_entropy(net_, logits(x), labels, sizes_.batch * sizes_.sequence)});
  }

  // Results: logits[b,v] of the token after the prompt; keys and values[b,n,s,d] of every layer.
  ir::Module prefill() {
    const Value x    = layers(sizes_.sequence, first());
    const Value last = net_.op("Slice", {x},
                               {{"axes", std::vector<int64_t>{1}},
                                {"starts", std::vector<int64_t>{sizes_.sequence - 1}},
                                {"ends", std::vector<int64_t>{sizes_.sequence}}});
    return finish_inference(last);
  }

  // Results: logits[b,v] of the next token; the caches[b,n,t,d] of every layer with the new token in them.
  ir::Module decode() {
    cache_ = cache(net_, sizes_.batch, sizes_.context);
    return finish_inference(layers(1, net_.view(cache_->places, {-1, 1})));
  }

 private:
  // The position of the first row.
  Value first() { return net_.constant(ir::Array::of_ints({1}, {0})); }

  ir::Module finish_inference(Value x) {
    Values results{logits(x)};
    results.insert(results.end(), kept_.begin(), kept_.end());
    return net_.finish(results);
  }

  // [b,s] tokens -> [b,s,h]
  Value layers(int64_t rows, Value positions) {
    rows_   = rows;
    rotary_ = rotary(net_, positions, cache_ ? cache_->room : rows, sizes_.heads.size, sizes_.rotary_base);
    if (rows > 1) mask_ = {.added = causal_mask(net_, rows)};
    if (cache_) mask_ = {.hidden = cache_->hidden};
    const Value table = net_.weight("tok_embeddings.weight", {sizes_.vocabulary, sizes_.hidden});
    Value x =
        net_.op("Gather", {table, net_.integers("ids", {sizes_.batch, rows})}, {{"axis", int64_t{0}}}, "embedded");
    for (int64_t i = 0; i < sizes_.layers; ++i) x = block("layers." + std::to_string(i) + ".", x);
    return rms_norm(net_, "norm", x, sizes_.hidden);
  }

  Value logits(Value x) {
    return projected(net_, "output", rows_of(net_, x, sizes_.hidden), sizes_.hidden, sizes_.vocabulary);
  }

  Value block(const std::string& name, Value x) {
    x             = net_.op("Add", {x, attention(name, rms_norm(net_, name + "attention_norm", x, sizes_.hidden))});
    const Value y = rms_norm(net_, name + "ffn_norm", x, sizes_.hidden);
    return net_.op("Add", {x, feed_forward(name + "feed_forward.", y)});
  }

  Value attention(const std::string& name, Value x) {
    const Heads& heads = sizes_.heads;
    const auto part    = [&](const std::string& weight, int64_t count) {
      const Value y = projected(net_, name + "attention." + weight, x, sizes_.hidden, count * heads.size);
      return split_heads(net_, y, rows_, count, heads.size);  // [b,count,s,d]
    };
    const Value q = rotated(net_, part("wq", heads.count), rotary_);
    const Value k = kept(name + "keys", rotated(net_, part("wk", heads.kv_count), rotary_));
    const Value v = kept(name + "values", part("wv", heads.kv_count));
    const Value y = attend(net_, q, k, v, heads, {rows_, cache_ ? cache_->room : rows_}, scale_, mask_);
    return projected(net_, name + "attention.wo", merge_heads(net_, y, rows_, heads.count, heads.size), sizes_.hidden,
                     sizes_.hidden);
  }

  // Keys or values, with those of earlier tokens where there are any.
  Value kept(const std::string& name, Value fresh) {
    kept_.push_back(cache_ ? remembered(net_, name, fresh, sizes_.heads, *cache_) : fresh);
    return kept_.back();
  }

  Value feed_forward(const std::string& name, Value x) {
    const Value gate = silu(net_, projected(net_, name + "w1", x, sizes_.hidden, sizes_.feed_forward));
    const Value up   = projected(net_, name + "w3", x, sizes_.hidden, sizes_.feed_forward);
    return projected(net_, name + "w2", net_.op("Mul", {gate, up}), sizes_.feed_forward, sizes_.hidden);
  }

  const Sizes sizes_;
  Network net_;
  const double scale_;
  int64_t rows_ = 0;
  Rotary rotary_{};
  Masking mask_;
  std::optional<Cache> cache_;
  Values kept_;  // keys and values of every layer
};

Model build(const Request& request, const ir::OpTable& ops) {
  const Sizes sizes = read(request);
  const Phase phase = read_phase(request.sizes);
  Writer writer(sizes, request, ops);
  if (request.mode == Mode::training) return {writer.training(), sizes.sequence};
  if (phase == Phase::prefill) return {writer.prefill(), sizes.sequence};
  return {writer.decode(), 1};
}

}  // namespace

WorkloadDef llama() {
  return {
      "llama",
      "LLaMA: RMSNorm, rotary embeddings, SwiGLU, grouped-query attention; inference with a cache of keys and values",
      {{"layers", "transformer blocks (32)"},
       {"hidden", "width (4096)"},
       {"heads", "attention heads (32)"},
       {"kv_heads", "heads of keys and values, a divisor of heads (heads)"},
       {"feed_forward", "inner width of the gated MLP (11008)"},
       {"sequence", "tokens a sample (4096)"},
       {"vocabulary", "tokens in the vocabulary (32000)"},
       {"rotary_base", "base of the rotary angles (10000)"},
       phase_key(),
       {"context", "decode: tokens in the cache (sequence)"}},
      build};
}

}  // namespace foreflow::workload::definitions
