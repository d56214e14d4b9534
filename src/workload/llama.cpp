#include "workload/decoder.h"
#include "workload/layers.h"
#include "workload/residual.h"
#include "workload/sizes.h"

namespace foreflow::workload::definitions::llama {
namespace {

struct Sizes {
  int64_t layers, hidden, feed_forward, sequence, context, vocabulary, rotary_base, batch;
  Heads heads;
  bool fp32_residual;
  ir::DType kept_as;  // keys and values
};

const std::vector<Key>& keys() {
  static const std::vector<Key> rows = {
      {"layers", "transformer blocks", 32},
      {"hidden", "width", 4096},
      {"heads", "attention heads", 32},
      {"kv_heads", "heads of keys and values, a divisor of heads", Derived{"heads", same_as_heads}},
      {"head_size", "width of a head", Derived{"hidden / heads", hidden_of_head}},
      {"feed_forward", "inner width of the gated MLP", 11008},
      {"sequence", "tokens a sample", 4096},
      {"vocabulary", "tokens in the vocabulary", 32000},
      {"rotary_base", "base of the rotary angles", 10000},
      fp32_residual_key(),
      phase_key(),
      cache_dtype_key(),
      {"context", "decode: tokens in the cache", Derived{"sequence", same_as_sequence}}};
  return rows;
}

Sizes read(const FilledValues& values, const Request& request) {
  const int64_t hidden = positive(values, "hidden"), heads = positive(values, "heads");
  const int64_t sequence = positive(values, "sequence");
  const Heads all{heads, positive(values, "kv_heads"), head_size(values, hidden, heads)};
  check_rotary_heads(values.stated(), all);
  return {.layers        = positive(values, "layers", kMostLayers),
          .hidden        = hidden,
          .feed_forward  = positive(values, "feed_forward"),
          .sequence      = sequence,
          .context       = positive(values, "context"),
          .vocabulary    = positive(values, "vocabulary"),
          .rotary_base   = positive(values, "rotary_base"),
          .batch         = request.batch,
          .heads         = all,
          .fp32_residual = read_fp32_residual(values, request),
          .kept_as       = read_cache_dtype(values, request)};
}

// LLaMA (Touvron et al., 2023; Grattafiori et al., 2024): pre-norm decoder with RMSNorm, rotary embeddings, SwiGLU,
// grouped-query attention, no biases, output weights of its own.
// Letters: b batch, s sequence, h hidden, a heads, n heads of keys and values, d = h/a, f feed-forward, v vocabulary.
class LlamaWriter {
 public:
  LlamaWriter(const Sizes& sizes, const Request& request, const ir::OpTable& ops)
      : sizes_(sizes), residual_(sizes.fp32_residual), net_("llama", request.dtype, ops) {}

  ir::Module training() {
    Pass pass          = reads(net_, sizes_.sequence, net_.dtype());
    const Value x      = layers(pass);
    const Value labels = net_.integers("labels", {sizes_.batch, sizes_.sequence});
    return net_.finish({cross_entropy(net_, logits(x), labels, sizes_.batch * sizes_.sequence)});
  }

  Model generation(Phase phase) {
    return inference(
        net_, phase, {sizes_.batch, sizes_.sequence, sizes_.context, sizes_.kept_as},
        [&](Pass& pass) { return layers(pass); }, [&](Value x) { return logits(x); });
  }

 private:
  // [b,s] tokens -> [b,s,h]
  Value layers(Pass& pass) {
    const Rotary rotary = rotary_of(net_, pass, sizes_.heads.size, sizes_.rotary_base);
    const Value table   = net_.weight("tok_embeddings.weight", {sizes_.vocabulary, sizes_.hidden});
    const Value ids     = net_.integers("ids", {sizes_.batch, pass.rows});
    Value x             = residual_.begun(net_, net_.op("Gather", {table, ids}, {{"axis", int64_t{0}}}, "embedded"));
    for (int64_t i = 0; i < sizes_.layers; ++i) x = block("layers." + std::to_string(i) + ".", x, rotary, pass);
    return normalised("norm", x);
  }

  Value logits(Value x) {
    return projected(net_, "output", rows_of(net_, x, sizes_.hidden), sizes_.hidden, sizes_.vocabulary);
  }

  Value normalised(const std::string& name, Value x) {
    return rms_norm(net_, name, residual_.read(net_, x), sizes_.hidden);
  }

  Value block(const std::string& name, Value x, const Rotary& rotary, Pass& pass) {
    const Value own   = normalised(name + "attention_norm", x);
    const Value mixed = rotary_attention(net_, name, own, sizes_.hidden, sizes_.heads, rotary, pass);
    x                 = residual_.added(net_, x, mixed);
    const Value y     = normalised(name + "ffn_norm", x);
    return residual_.added(net_, x, gated_mlp(net_, name + "feed_forward.", y, sizes_.hidden, sizes_.feed_forward));
  }

  const Sizes sizes_;
  const Residual residual_;
  Network net_;
};

Model build(const Request& request, const ir::OpTable& ops) {
  const FilledValues values(keys(), request.sizes);
  const Sizes sizes = read(values, request);
  const Phase phase = read_phase(values);
  LlamaWriter writer(sizes, request, ops);
  if (request.mode == Mode::training) return {writer.training(), sizes.sequence};
  return writer.generation(phase);
}

}  // namespace

WorkloadDef row() {
  return {
      "llama",
      "LLaMA: RMSNorm, rotary embeddings, SwiGLU, grouped-query attention; inference with a cache of keys and values",
      keys(),
      build,
      {.is_causal = true, .decodes_by_context = true}};
}

}  // namespace foreflow::workload::definitions::llama
