#include "gpt_cache.h"

#include <cmath>

#include "attention.h"
#include "layers.h"
#include "sizes.h"

namespace foreflow::workload {
namespace {

struct Sizes {
  int64_t layers, hidden, sequence, context, vocabulary, batch;
  Heads heads;
};

Sizes read(const Request& request) {
  const JsonView& json = request.sizes;
  const int64_t hidden = positive(json, "hidden", 768), heads = positive(json, "heads", 12);
  const int64_t sequence = positive(json, "sequence", 1024);
  return {.layers     = positive(json, "layers", 12, kMostLayers),
          .hidden     = hidden,
          .sequence   = sequence,
          .context    = positive(json, "context", sequence - 1),
          .vocabulary = positive(json, "vocabulary", 50257),
          .batch      = request.batch,
          .heads      = {heads, heads, head_size(json, hidden, heads)}};
}

// Letters: b batch, s sequence, t tokens in the cache, h hidden, a heads, d = h/a, v vocabulary.
class Writer {
 public:
  Writer(const Sizes& sizes, const Request& request, const ir::OpTable& ops)
      : sizes_(sizes), net_("gpt", request.dtype, ops), scale_(1 / std::sqrt(static_cast<double>(sizes.heads.size))) {}

  ir::Module prefill() {
    rows_         = sizes_.sequence;
    mask_.added   = causal_mask(net_, rows_);
    const Value x = layers([&](Value table) { return table; });
    return finish(net_.op("Slice", {x},
                          {{"axes", std::vector<int64_t>{1}},
                           {"starts", std::vector<int64_t>{rows_ - 1}},
                           {"ends", std::vector<int64_t>{rows_}}}));
  }

  ir::Module decode() {
    rows_        = 1;
    cache_       = cache(net_, sizes_.batch, sizes_.context);
    mask_.hidden = cache_->hidden;
    return finish(layers([&](Value table) {
      return net_.op("Gather", {table, net_.view(cache_->places, {-1, 1})}, {{"axis", int64_t{0}}});  // [b,1,h]
    }));
  }

 private:
  // `place` makes of the table of positions[s,h] what is added to the tokens.
  template <class Place>
  Value layers(const Place& place) {
    table_           = net_.weight("wte", {sizes_.vocabulary, sizes_.hidden});
    const Value wpe  = net_.weight("wpe", {sizes_.sequence, sizes_.hidden});
    const Value ids  = net_.integers("ids", {sizes_.batch, rows_});
    const Value word = net_.op("Gather", {table_, ids}, {{"axis", int64_t{0}}}, "tokens");
    Value x          = net_.op("Add", {word, place(wpe)}, {}, "embedded");
    for (int64_t i = 0; i < sizes_.layers; ++i) x = block("h." + std::to_string(i) + ".", x);
    return layer_norm(net_, "ln_f", x, sizes_.hidden);
  }

  Value block(const std::string& name, Value x) {
    const int64_t h  = sizes_.hidden;
    x                = net_.op("Add", {x, attention(name, layer_norm(net_, name + "ln_1", x, h))});
    const Value y    = layer_norm(net_, name + "ln_2", x, h);
    const Value wide = gelu(net_, linear(net_, name + "up", y, h, 4 * h), "tanh");
    return net_.op("Add", {x, linear(net_, name + "down", wide, 4 * h, h)});
  }

  Value attention(const std::string& name, Value x) {
    const Heads& heads = sizes_.heads;
    const Value fused  = linear(net_, name + "attn", x, sizes_.hidden, 3 * sizes_.hidden);
    const Values parts = net_.ops("Split", {fused}, {{"axis", int64_t{2}}, {"num_outputs", int64_t{3}}}, 3);
    const auto split   = [&](Value part) { return split_heads(net_, part, rows_, heads.count, heads.size); };
    const Value q      = split(parts[0]);
    const Value k = kept(name + "keys", split(parts[1])), v = kept(name + "values", split(parts[2]));
    const Value y = attend(net_, q, k, v, heads, {rows_, cache_ ? cache_->room : rows_}, scale_, mask_);
    return linear(net_, name + "proj", merge_heads(net_, y, rows_, heads.count, heads.size), sizes_.hidden,
                  sizes_.hidden);
  }

  Value kept(const std::string& name, Value fresh) {
    kept_.push_back(cache_ ? remembered(net_, name, fresh, sizes_.heads, *cache_) : fresh);
    return kept_.back();
  }

  ir::Module finish(Value x) {
    Values results{tied_logits(net_, rows_of(net_, x, sizes_.hidden), table_)};
    results.insert(results.end(), kept_.begin(), kept_.end());
    return net_.finish(results);
  }

  const Sizes sizes_;
  Network net_;
  const double scale_;
  int64_t rows_ = 0;
  Value table_{};
  Masking mask_;
  std::optional<Cache> cache_;
  Values kept_;  // keys and values of every layer
};

}  // namespace

Model gpt_with_cache(const Request& request, const ir::OpTable& ops) {
  const Sizes sizes = read(request);
  const Phase phase = read_phase(request.sizes);
  if (phase == Phase::decode && sizes.context >= sizes.sequence) {
    refuse(request.sizes, "context",
           std::to_string(sizes.context) + " tokens leave no position for the next one of a sequence of " +
               std::to_string(sizes.sequence) + "; use at most " + std::to_string(sizes.sequence - 1));
  }
  Writer writer(sizes, request, ops);
  if (phase == Phase::prefill) return {writer.prefill(), sizes.sequence};
  return {writer.decode(), 1};
}

}  // namespace foreflow::workload
