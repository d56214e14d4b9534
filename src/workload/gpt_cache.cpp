#include "workload/gpt_cache.h"

#include "workload/decoder.h"
#include "workload/encoder.h"
#include "workload/layers.h"
#include "workload/sizes.h"

namespace foreflow::workload {
namespace {

struct Sizes {
  int64_t layers, hidden, sequence, context, vocabulary, batch;
  Heads heads;
  ir::DType kept_as;  // keys and values
};

Sizes read(const FilledValues& values, const Request& request) {
  const int64_t hidden = positive(values, "hidden"), heads = positive(values, "heads");
  const int64_t sequence = positive(values, "sequence");
  return {.layers     = positive(values, "layers", kMostLayers),
          .hidden     = hidden,
          .sequence   = sequence,
          .context    = positive(values, "context"),
          .vocabulary = positive(values, "vocabulary"),
          .batch      = request.batch,
          .heads      = {heads, heads, head_size(values, hidden, heads)},
          .kept_as    = read_cache_dtype(values, request)};
}

// Letters: b batch, s sequence, t tokens in the cache, h hidden, a heads, d = h/a, v vocabulary.
class GptCacheWriter {
 public:
  GptCacheWriter(const Sizes& sizes, const Request& request, const ir::OpTable& ops)
      : sizes_(sizes), net_("gpt", request.dtype, ops) {}

  Model generation(Phase phase) {
    return inference(
        net_, phase, {sizes_.batch, sizes_.sequence, sizes_.context, sizes_.kept_as},
        [&](Pass& pass) { return layers(pass); },
        [&](Value x) { return tied_logits(net_, rows_of(net_, x, sizes_.hidden), table_); });
  }

 private:
  Value layers(Pass& pass) {
    table_           = net_.weight("wte", {sizes_.vocabulary, sizes_.hidden});
    const Value wpe  = net_.weight("wpe", {sizes_.sequence, sizes_.hidden});
    const Value ids  = net_.integers("ids", {sizes_.batch, pass.rows});
    const Value word = net_.op("Gather", {table_, ids}, {{"axis", int64_t{0}}}, "tokens");
    Value x          = net_.op("Add", {word, positions(wpe, pass)}, {}, "embedded");
    for (int64_t i = 0; i < sizes_.layers; ++i) x = block("h." + std::to_string(i) + ".", x, pass);
    return layer_norm(net_, "ln_f", x, sizes_.hidden);
  }

  // Returns the rows of the table wpe[s,h] that are added to the tokens: [s,h], or [b,1,h] for the next token.
  Value positions(Value wpe, const Pass& pass) {
    if (!pass.cache) return wpe;
    return net_.op("Gather", {wpe, net_.view(pass.cache->places, {-1, 1})}, {{"axis", int64_t{0}}});
  }

  Value block(const std::string& name, Value x, Pass& pass) {
    const int64_t h = sizes_.hidden;
    x               = net_.op("Add", {x, attention(name, layer_norm(net_, name + "ln_1", x, h), pass)});
    const Value y   = layer_norm(net_, name + "ln_2", x, h);
    return net_.op("Add", {x, gelu_mlp(net_, name, y, {h, 4 * h}, "tanh")});
  }

  Value attention(const std::string& name, Value x, Pass& pass) {
    Fused fused = fused_heads(net_, name + "attn", x, sizes_.heads, pass.rows);
    fused.k     = kept(net_, name + "keys", fused.k, sizes_.heads, pass);
    fused.v     = kept(net_, name + "values", fused.v, sizes_.heads, pass);
    return attended(net_, name + "proj", fused, sizes_.heads, {pass.rows, pass.keys()}, pass.masking);
  }

  const Sizes sizes_;
  Network net_;
  Value table_{};
};

}  // namespace

Model gpt_with_cache(const FilledValues& values, const Request& request, const ir::OpTable& ops) {
  const Sizes sizes = read(values, request);
  const Phase phase = values.stated().has("phase") ? read_phase(values) : Phase::prefill;
  if (phase == Phase::decode && sizes.context >= sizes.sequence) {
    request.sizes.fail("context",
                       std::to_string(sizes.context) + " tokens leave no position for the next one of a sequence of " +
                           std::to_string(sizes.sequence) + "; use at most " + std::to_string(sizes.sequence - 1));
  }
  return GptCacheWriter(sizes, request, ops).generation(phase);
}

}  // namespace foreflow::workload
