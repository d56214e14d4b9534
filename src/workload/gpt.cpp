#include <cmath>

#include "workload/attention.h"
#include "workload/dropout.h"
#include "workload/gpt_cache.h"
#include "workload/residual.h"
#include "workload/sizes.h"

namespace foreflow::workload::definitions::gpt {
namespace {

struct Sizes {
  int64_t layers, hidden, heads, sequence, vocabulary, batch;
  double dropout;
  bool fp32_residual;
};

const std::vector<Key>& keys() {
  static const std::vector<Key> rows = {
      {"layers", "transformer blocks", 12},
      {"hidden", "width", 768},
      {"heads", "attention heads", 12},
      {"sequence", "tokens a sample", 1024},
      {"vocabulary", "tokens in the vocabulary", 50257},
      dropout_key("training: share of the embeddings, attention probabilities and layer outputs that is dropped"),
      fp32_residual_key(),
      {"caches", "inference from the graph: whether it returns the keys and values of every layer, true or false", true,
       Key::Kind::boolean},
      {"phase",
       "inference: prefill or decode with a cache of keys and values; without it the ONNX export's graph",
       {},
       Key::Kind::word},
      cache_dtype_key(),
      {"context", "decode: tokens in the cache",
       Derived{"sequence - 1", [](const FilledValues& values) { return values.size("sequence") - 1; }}}};
  return rows;
}

Sizes read(const FilledValues& values, const Request& request) {
  const Sizes sizes{positive(values, "layers", kMostLayers),
                    positive(values, "hidden"),
                    positive(values, "heads"),
                    positive(values, "sequence"),
                    positive(values, "vocabulary"),
                    request.batch,
                    read_dropout(values, request.mode),
                    read_fp32_residual(values, request)};
  if (sizes.hidden % sizes.heads != 0) {
    values.stated().fail("heads", std::to_string(sizes.heads) + " heads do not divide the hidden size " +
                                      std::to_string(sizes.hidden) + "; use a divisor of it");
  }
  return sizes;
}

// GPT-2 (Radford et al., 2019) for training: a pre-norm decoder with a fused q|k|v projection and tied embeddings.
// Letters: b batch, s sequence, h hidden, a heads, d = h/a, v vocabulary.
class GptWriter {
 public:
  GptWriter(const Sizes& sizes, ir::DType dtype, const ir::OpTable& ops)
      : sizes_(sizes), dropout_(sizes.dropout), residual_(sizes.fp32_residual), net_("gpt", dtype, ops) {}

  ir::Module run() {
    const Value wte = net_.weight("wte", {sizes_.vocabulary, sizes_.hidden});
    Value x         = embedded(wte);
    mask_           = causal_mask(net_, sizes_.sequence);
    for (int64_t i = 0; i < sizes_.layers; ++i) x = layer("h." + std::to_string(i) + ".", x);
    x                  = normalised(x, "ln_f");
    const Value labels = net_.integers("labels", {sizes_.batch, sizes_.sequence});
    const Value rows   = net_.view(x, {-1, sizes_.hidden});                                 // [bs,h]
    const Value label  = net_.view(labels, {-1});                                           // [bs]
    const Value logits = net_.op("Gemm", {rows, wte}, {{"transB", int64_t{1}}}, "logits");  // [bs,v]
    const Value loss =
        net_.op("SoftmaxCrossEntropyLoss", {logits, label}, {{"count", sizes_.batch * sizes_.sequence}}, "loss");
    return net_.finish({loss});
  }

 private:
  Value embedded(Value wte) {
    const Value wpe    = net_.weight("wpe", {sizes_.sequence, sizes_.hidden});
    const Value ids    = net_.integers("ids", {sizes_.batch, sizes_.sequence});
    const Value tokens = net_.op("Gather", {wte, ids}, {{"axis", int64_t{0}}}, "tokens");  // [b,s,h]
    return residual_.begun(net_, dropout_(net_, net_.op("Add", {tokens, wpe}, {}, "embedded"), "embedded"));
  }

  Value normalised(Value x, const std::string& name) {
    const Value weight = net_.weight(name + ".weight", {sizes_.hidden});
    const Value bias   = net_.weight(name + ".bias", {sizes_.hidden});
    return net_.op("LayerNormalization", {residual_.read(net_, x), weight, bias},
                   {{"axis", int64_t{-1}}, {"epsilon", 1e-5}}, name);
  }

  struct Width {
    int64_t in, out;
  };
  Value linear(Value x, const std::string& weights, Width width, const std::string& name) {
    const Value weight = net_.weight(weights + ".weight", {width.in, width.out});
    const Value bias   = net_.weight(weights + ".bias", {width.out});
    return net_.op("Add", {net_.op("MatMul", {x, weight}), bias}, {}, name);
  }

  // [b,s,h] -> [b,s,a,d] -> permuted
  Value heads(Value x, std::vector<int64_t> order, const std::string& name) {
    const Value split = net_.view(x, {0, sizes_.sequence, sizes_.heads, sizes_.hidden / sizes_.heads});
    return net_.op("Transpose", {split}, {{"perm", std::move(order)}}, name);
  }

  Value attention(Value x, const std::string& at) {
    const Value qkv         = linear(x, at + "attn", {sizes_.hidden, 3 * sizes_.hidden}, at + "qkv");
    const Values parts      = net_.ops("Split", {qkv}, {{"axis", int64_t{2}}, {"num_outputs", int64_t{3}}}, 3);
    const Value q           = heads(parts[0], {0, 2, 1, 3}, at + "q");  // [b,a,s,d]
    const Value k           = heads(parts[1], {0, 2, 3, 1}, at + "k");  // [b,a,d,s]
    const Value v           = heads(parts[2], {0, 2, 1, 3}, at + "v");
    const int64_t head_size = sizes_.hidden / sizes_.heads;
    const double scale      = 1 / std::sqrt(static_cast<double>(head_size));
    const Value small       = net_.op("Mul", {q, net_.constant(net_.filled(scale))}, {}, at + "q_scaled");
    const Value scores      = net_.op("Add", {net_.op("MatMul", {small, k}), mask_}, {}, at + "scores");  // [b,a,s,s]
    const Value shares      = net_.op("Softmax", {scores}, {{"axis", int64_t{-1}}}, at + "probabilities");
    const Value seen        = net_.op("MatMul", {dropout_(net_, shares, at + "probabilities"), v});
    return net_.op("Reshape", {net_.permuted(seen, {0, 2, 1, 3})},
                   {{"shape", std::vector<int64_t>{0, sizes_.sequence, sizes_.hidden}}}, at + "context");
  }

  Value layer(const std::string& at, Value x) {
    const int64_t h      = sizes_.hidden;
    const Value context  = attention(normalised(x, at + "ln_1"), at);
    const Value attended = linear(context, at + "proj", {h, h}, at + "attended");
    const Value middle   = residual_.added(net_, x, dropout_(net_, attended, at + "attended"), at + "middle");
    const Value up       = linear(normalised(middle, at + "ln_2"), at + "up", {h, 4 * h}, at + "up");
    const Value inner    = net_.op("Gelu", {up}, {{"approximate", std::string("tanh")}}, at + "gelu");
    const Value down     = linear(inner, at + "down", {4 * h, h}, at + "down");
    return residual_.added(net_, middle, dropout_(net_, down, at + "down"), at + "out");
  }

  const Sizes sizes_;
  Dropout dropout_;
  const Residual residual_;
  Network net_;
  Value mask_{};
};

Model build(const Request& request, const ir::OpTable& ops) {
  const FilledValues values(keys(), request.sizes);
  const Sizes sizes = read(values, request);
  if (request.mode == Mode::inference) return gpt_with_cache(values, request, ops);
  return {GptWriter(sizes, request.dtype, ops).run(), sizes.sequence};
}

}  // namespace

WorkloadDef row() {
  return {
      "gpt",
      "GPT-2 and GPT-3: training from a native program, inference from the ONNX export's graph or, with a phase, from "
      "a native program with a cache of keys and values",
      keys(),
      build,
      {.is_causal = true, .infers_by_export = true}};
}

}  // namespace foreflow::workload::definitions::gpt
