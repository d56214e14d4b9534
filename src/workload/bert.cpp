#include "workload/encoder.h"
#include "workload/layers.h"
#include "workload/sizes.h"

namespace foreflow::workload::definitions::bert {
namespace {

constexpr double kEpsilon = 1e-12;

struct Sizes {
  int64_t layers, hidden, feed_forward, sequence, positions, vocabulary, batch;
  Heads heads;
  double dropout;
};

const std::vector<Key>& keys() {
  static const std::vector<Key> rows = {
      {"layers", "transformer blocks", 12},
      {"hidden", "width", 768},
      {"heads", "attention heads", 12},
      {"feed_forward", "inner width of the MLP", Derived{"4 hidden", four_hidden}},
      {"sequence", "tokens a sample", 512},
      {"positions", "length of the table of positions", 512},
      {"vocabulary", "tokens in the vocabulary", 30522},
      dropout_key("training: share of the embeddings, attention weights and outputs of both halves of a block "
                  "that is dropped")};
  return rows;
}

Sizes read(const Request& request) {
  const KeyValues& stated = request.sizes;
  const FilledValues values(keys(), stated);
  const int64_t hidden = positive(values, "hidden"), heads = positive(values, "heads");
  const int64_t sequence = positive(values, "sequence"), positions = positive(values, "positions");
  if (sequence > positions) {
    stated.fail(stated.has("sequence") ? "sequence" : "positions",
                std::to_string(sequence) + " tokens are more than the " + std::to_string(positions) +
                    " positions; use at most as many");
  }
  return {.layers       = positive(values, "layers", kMostLayers),
          .hidden       = hidden,
          .feed_forward = positive(values, "feed_forward"),
          .sequence     = sequence,
          .positions    = positions,
          .vocabulary   = positive(values, "vocabulary"),
          .batch        = request.batch,
          .heads        = {heads, heads, head_size(values, hidden, heads)},
          .dropout      = read_dropout(values, request.mode)};
}

// BERT (Devlin et al., 2019): post-norm encoder with fused q|k|v projection as in Megatron-LM; a head that names every
// token (tied to the embedding) and one that says whether the second sentence follows. Sequences are full: no padding.
// Letters: b batch, s sequence, h hidden, a heads, d = h/a, f feed-forward, v vocabulary.
class BertWriter {
 public:
  BertWriter(const Sizes& sizes, const Request& request, const ir::OpTable& ops)
      : sizes_(sizes), net_("bert", request.dtype, ops), dropped_(sizes.dropout) {}

  // Result 0: the sum of both losses, each a mean.
  ir::Module training() {
    const Value x       = encoder();
    const Value labels  = net_.integers("labels", {sizes_.batch, sizes_.sequence});
    const Value follows = net_.integers("follows", {sizes_.batch});
    const Value words   = cross_entropy(net_, token_logits(x), labels, sizes_.batch * sizes_.sequence);
    const Value pair    = cross_entropy(net_, pair_logits(x), follows, sizes_.batch);
    return net_.finish({net_.op("Add", {words, pair})});
  }

  // Results: logits[b*s,v] of the tokens and [b,2] of the pair.
  ir::Module inference() {
    const Value x = encoder();
    return net_.finish({token_logits(x), pair_logits(x)});
  }

 private:
  Value norm(const std::string& name, Value x) { return layer_norm(net_, name, x, sizes_.hidden, kEpsilon); }

  Value encoder() {
    const ir::Dims tokens{sizes_.batch, sizes_.sequence};
    Value x = embedded(tokens);
    for (int64_t i = 0; i < sizes_.layers; ++i) x = block("encoder.layer." + std::to_string(i) + ".", x);
    return x;
  }

  Value embedded(const ir::Dims& tokens) {
    words_               = net_.weight("embeddings.word.weight", {sizes_.vocabulary, sizes_.hidden});
    const Value segments = net_.weight("embeddings.segment.weight", {2, sizes_.hidden});
    Value places         = net_.weight("embeddings.position.weight", {sizes_.positions, sizes_.hidden});
    if (sizes_.sequence < sizes_.positions) {
      places = net_.op("Slice", {places},
                       {{"axes", std::vector<int64_t>{0}},
                        {"starts", std::vector<int64_t>{0}},
                        {"ends", std::vector<int64_t>{sizes_.sequence}}});
    }
    const Value word    = net_.op("Gather", {words_, net_.integers("ids", tokens)}, {{"axis", int64_t{0}}}, "words");
    const Value segment = net_.op("Gather", {segments, net_.integers("segments", tokens)}, {{"axis", int64_t{0}}});
    return dropped_(net_, norm("embeddings.norm", net_.op("Add", {net_.op("Add", {word, segment}), places})));
  }

  Value block(const std::string& name, Value x) {
    const Value mixed = encoder_attention(net_, name + "attention.", x, sizes_.heads, sizes_.sequence, dropped_);
    x                 = norm(name + "attention.norm", net_.op("Add", {x, dropped_(net_, mixed)}));
    const Value y     = gelu_mlp(net_, name, x, {sizes_.hidden, sizes_.feed_forward}, "none");
    return norm(name + "norm", net_.op("Add", {x, dropped_(net_, y)}));
  }

  Value token_logits(Value x) {
    const Value rows  = rows_of(net_, x, sizes_.hidden);
    const Value dense = gelu(net_, linear(net_, "words.dense", rows, sizes_.hidden, sizes_.hidden), "none");
    const Value bias  = net_.weight("words.bias", {sizes_.vocabulary});
    return net_.op("Add", {tied_logits(net_, norm("words.norm", dense), words_), bias});
  }

  Value pair_logits(Value x) {
    const Value first  = net_.op("Gather", {x, net_.constant(ir::Array::scalar(int64_t{0}))}, {{"axis", int64_t{1}}});
    const Value pooled = net_.op("Tanh", {linear(net_, "pooler", first, sizes_.hidden, sizes_.hidden)});
    return linear(net_, "follows", pooled, sizes_.hidden, 2);
  }

  const Sizes sizes_;
  Network net_;
  Dropout dropped_;
  Value words_{};
};

Model build(const Request& request, const ir::OpTable& ops) {
  const Sizes sizes = read(request);
  BertWriter writer(sizes, request, ops);
  return {request.mode == Mode::training ? writer.training() : writer.inference(), sizes.sequence};
}

}  // namespace

WorkloadDef row() {
  return {"bert", "BERT: post-norm encoder; training with both losses of its pre-training", keys(), build};
}

}  // namespace foreflow::workload::definitions::bert
