#include <cmath>

#include "workload/attention.h"
#include "workload/layers.h"
#include "workload/relative_bias.h"
#include "workload/sizes.h"

namespace foreflow::workload::definitions::t5 {
namespace {

constexpr double kEpsilon = 1e-6;

struct Sizes {
  int64_t layers, hidden, feed_forward, sequence, target, context, vocabulary, batch;
  Heads heads;
  double dropout;
  ir::DType kept_as;  // keys and values
};

const std::vector<Key>& keys() {
  static const std::vector<Key> rows = {
      {"layers", "blocks of the encoder, and of the decoder", 12},
      {"hidden", "width", 768},
      {"heads", "attention heads", 12},
      {"head_size", "width of a head", 64},
      {"feed_forward", "inner width of the MLP", 3072},
      {"sequence", "tokens that a sample reads", 512},
      {"target_sequence", "tokens that it writes", Derived{"sequence", same_as_sequence}},
      {"vocabulary", "tokens in the vocabulary", 32128},
      phase_key(),
      cache_dtype_key(),
      {"context", "decode: tokens in the cache",
       Derived{"target_sequence", [](const FilledValues& values) { return values.size("target_sequence"); }}},
      dropout_key("training: share of the embeddings, attention weights, inner numbers of the MLP, outputs of "
                  "layers and of both sides that is dropped")};
  return rows;
}

Sizes read(const FilledValues& values, const Request& request) {
  const int64_t heads = positive(values, "heads"), sequence = positive(values, "sequence");
  const int64_t target = positive(values, "target_sequence");
  return {.layers       = positive(values, "layers", kMostLayers),
          .hidden       = positive(values, "hidden"),
          .feed_forward = positive(values, "feed_forward"),
          .sequence     = sequence,
          .target       = target,
          .context      = positive(values, "context"),
          .vocabulary   = positive(values, "vocabulary"),
          .batch        = request.batch,
          .heads        = {heads, heads, positive(values, "head_size")},
          .dropout      = read_dropout(values, request.mode),
          .kept_as      = read_cache_dtype(values, request)};
}

// T5 (Raffel et al., 2020, v1.0): pre-norm encoder and decoder with RMSNorm, relative position biases, no other biases,
// ReLU, unscaled scores, tied embeddings. Every layer looks up its bias in the one table of its side, so that stages of
// a pipeline share 32 x a numbers and not a x s x s.
// Letters: b batch, s sequence, t target sequence, h hidden, a heads, d head size, f feed-forward, v vocabulary.
class T5Writer {
 public:
  T5Writer(const Sizes& sizes, const Request& request, const ir::OpTable& ops)
      : sizes_(sizes), net_("t5", request.dtype, ops), dropped_(sizes.dropout) {
    words_ = net_.weight("shared.weight", {sizes.vocabulary, sizes.hidden});
  }

  ir::Module training() {
    const Value memory = encoder();
    const Value x      = decoder(sizes_.target, [&](const std::string& name) { return from_memory(name, memory); });
    const Value labels = net_.integers("labels", {sizes_.batch, sizes_.target});
    return net_.finish({cross_entropy(net_, logits(x), labels, sizes_.batch * sizes_.target)});
  }

  // Results: keys and values[b,a,s,d] of what was read, for every layer of the decoder.
  ir::Module prefill() {
    const Value memory = encoder();
    for (int64_t i = 0; i < sizes_.layers; ++i) {
      const auto [keys, values] = from_memory(decoder_layer(i) + "cross.", memory);
      for (const Value one : {keys, values}) kept_.push_back(net_.converted(one, net_.dtype(), sizes_.kept_as));
    }
    return net_.finish(kept_);
  }

  // Results: logits[b,v] of the next token; the caches[b,a,t,d] of every layer with the new token in them.
  ir::Module decode() {
    cache_         = cache(net_, sizes_.batch, sizes_.context, sizes_.kept_as);
    const Value x  = decoder(1, [&](const std::string& name) { return from_cache(name); });
    Values results = {logits(x)};
    results.insert(results.end(), kept_.begin(), kept_.end());
    return net_.finish(results);
  }

 private:
  using Memory = std::pair<Value, Value>;  // keys and values[b,a,s,d]

  static std::string decoder_layer(int64_t i) { return "decoder.block." + std::to_string(i) + "."; }

  Value norm(const std::string& name, Value x) { return rms_norm(net_, name, x, sizes_.hidden, kEpsilon); }

  Value embedded(const std::string& name, int64_t rows) {
    return dropped_(net_,
                    net_.op("Gather", {words_, net_.integers(name, {sizes_.batch, rows})}, {{"axis", int64_t{0}}}));
  }

  Value encoder() {
    const int64_t s = sizes_.sequence;
    Value x         = embedded("ids", s);
    const RelativeBias bias(net_, "encoder.relative_bias.weight", sizes_.heads.count, RelativeBias::Sides::both,
                            {s, s});
    for (int64_t i = 0; i < sizes_.layers; ++i) {
      const std::string name = "encoder.block." + std::to_string(i) + ".";
      const Value y          = norm(name + "attention.norm", x);
      const Memory own       = keys_values(name + "attention.", y, s);
      x = net_.op("Add", {x, attention(name + "attention.", y, s, own, s, {.added = bias.looked_up(net_)})});
      x = feed_forward(name, x);
    }
    return dropped_(net_, norm("encoder.norm", x));
  }

  // `memory` gives what a layer of the decoder attends to beside itself.
  template <class Lookup>
  Value decoder(int64_t rows, const Lookup& memory) {
    Value x                        = embedded("decoder_ids", rows);
    const int64_t keys             = cache_ ? cache_->room : rows;
    const RelativeBias::Sides past = RelativeBias::Sides::past;
    const std::string table        = "decoder.relative_bias.weight";
    const RelativeBias bias        = cache_ ? RelativeBias(net_, table, sizes_.heads.count, cache_->places, keys)
                                            : RelativeBias(net_, table, sizes_.heads.count, past, {rows, keys});
    if (!cache_) causal_ = causal_mask(net_, rows);
    for (int64_t i = 0; i < sizes_.layers; ++i) {
      const std::string name = decoder_layer(i);
      const Value y          = norm(name + "attention.norm", x);
      const Memory own       = remembered_or_fresh(name, keys_values(name + "attention.", y, rows));
      x                      = net_.op("Add", {x, attention(name + "attention.", y, rows, own, keys, masking(bias))});
      const Value z          = norm(name + "cross.norm", x);
      x = net_.op("Add", {x, attention(name + "cross.", z, rows, memory(name + "cross."), sizes_.sequence, {})});
      x = feed_forward(name, x);
    }
    return dropped_(net_, norm("decoder.norm", x));
  }

  Masking masking(const RelativeBias& bias) {
    if (cache_) return {.added = bias.looked_up(net_), .hidden = cache_->hidden};
    return {.added = net_.op("Add", {bias.looked_up(net_), *causal_})};
  }

  Value part(const std::string& name, Value x, int64_t rows) {
    const Value y = projected(net_, name, x, sizes_.hidden, sizes_.heads.count * sizes_.heads.size);
    return split_heads(net_, y, rows, sizes_.heads.count, sizes_.heads.size);
  }

  Memory keys_values(const std::string& name, Value x, int64_t rows) {
    const Value keys = part(name + "k", x, rows);
    return {keys, part(name + "v", x, rows)};
  }

  Memory from_memory(const std::string& name, Value memory) { return keys_values(name, memory, sizes_.sequence); }

  Memory from_cache(const std::string& name) {
    const ir::Dims dims{sizes_.batch, sizes_.heads.count, sizes_.sequence, sizes_.heads.size};
    const Value keys   = net_.data(name + "keys", dims, sizes_.kept_as);
    const Value values = net_.data(name + "values", dims, sizes_.kept_as);
    return {as_computed(keys), as_computed(values)};
  }

  Value as_computed(Value kept) { return net_.converted(kept, sizes_.kept_as, net_.dtype()); }

  Memory remembered_or_fresh(const std::string& name, const Memory& fresh) {
    if (!cache_) return fresh;
    kept_.push_back(remembered(net_, name + "keys", fresh.first, sizes_.heads, *cache_));
    kept_.push_back(remembered(net_, name + "values", fresh.second, sizes_.heads, *cache_));
    return {as_computed(kept_[kept_.size() - 2]), as_computed(kept_.back())};
  }

  Value attention(const std::string& name, Value x, int64_t rows, const Memory& memory, int64_t keys, Masking mask) {
    const Heads& heads = sizes_.heads;
    mask.dropout       = &dropped_;
    const Value q      = part(name + "q", x, rows);
    const Value y      = attend(net_, q, memory.first, memory.second, heads, {rows, keys}, 1, mask);
    return dropped_(net_, projected(net_, name + "o", merge_heads(net_, y, rows, heads.count, heads.size),
                                    heads.count * heads.size, sizes_.hidden));
  }

  Value feed_forward(const std::string& name, Value x) {
    const int64_t h = sizes_.hidden, f = sizes_.feed_forward;
    const Value y  = norm(name + "ffn.norm", x);
    const Value up = dropped_(net_, net_.op("Relu", {projected(net_, name + "ffn.wi", y, h, f)}));
    return net_.op("Add", {x, dropped_(net_, projected(net_, name + "ffn.wo", up, f, h))});
  }

  Value logits(Value x) {
    const Value small = net_.op(
        "Mul", {rows_of(net_, x, sizes_.hidden), net_.number(1 / std::sqrt(static_cast<double>(sizes_.hidden)))});
    return tied_logits(net_, small, words_);
  }

  const Sizes sizes_;
  Network net_;
  Dropout dropped_;
  Value words_{};
  std::optional<Value> causal_;
  std::optional<Cache> cache_;
  Values kept_;  // keys and values of every layer
};

Model build(const Request& request, const ir::OpTable& ops) {
  const FilledValues values(keys(), request.sizes);
  const Sizes sizes = read(values, request);
  const Phase phase = read_phase(values);
  T5Writer writer(sizes, request, ops);
  if (request.mode == Mode::training) return {writer.training(), sizes.sequence + sizes.target};
  if (phase == Phase::prefill) return {writer.prefill(), sizes.sequence};
  return {writer.decode(), 1};
}

}  // namespace

WorkloadDef row() {
  return {"t5",
          "T5: encoder and decoder with relative position biases; prefill reads, decode writes with caches",
          keys(),
          build,
          {.stacks_in_training = 2}};
}

}  // namespace foreflow::workload::definitions::t5
