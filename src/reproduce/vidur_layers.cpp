#include <fmt/core.h>

#include <cmath>
#include <map>

#include "reproduce/kernels.h"

namespace foreflow::reproduce::definitions::vidur_layers {
namespace {

constexpr auto kType = ir::DType::f16;

// h: width of a token, f: of the MLP, n: tokens, t: devices that share the layer.
struct Sizes {
  double tokens, hidden, inner, heads, vocabulary, shards;
};

ir::Type tokens_of(const Sizes& s, double width) { return tensor_of(kType, {s.tokens, width}); }

Seconds norm(const Kernels& kernels, const Sizes& s) {
  return kernels.op("SimplifiedLayerNormalization", {tokens_of(s, s.hidden), tensor_of(kType, {s.hidden})});
}

// Queries and keys in one kernel.
Seconds rotate(const Kernels& kernels, const Sizes& s) {
  const double head    = s.hidden / s.heads;
  const ir::Type table = tensor_of(kType, {s.tokens, head / 2});
  return kernels.op("RotaryEmbedding", {tensor_of(kType, {1, 2 * s.heads / s.shards, s.tokens, head}),
                                        tensor_of(ir::DType::i64, {1, s.tokens}), table, table});
}

constexpr std::string_view kEmbedding = "emb";
struct Operator {
  std::string_view name;
  Seconds (*price)(const Kernels& kernels, const Sizes& s);
};
const Operator kOperators[] = {
    {kEmbedding,
     [](const Kernels& kernels, const Sizes& s) {
       return kernels.op(
           "Gather", {tensor_of(kType, {s.vocabulary / s.shards, s.hidden}), tensor_of(ir::DType::i64, {s.tokens})});
     }},
    {"input_layernorm", norm},
    {"attn_pre_proj",
     [](const Kernels& kernels, const Sizes& s) {
       return kernels.product(kType, s.tokens, 3 * s.hidden / s.shards, s.hidden);
     }},
    {"attn_rope", rotate},
    {"attn_post_proj", [](const Kernels& kernels,
                          const Sizes& s) { return kernels.product(kType, s.tokens, s.hidden, s.hidden / s.shards); }},
    {"post_attention_layernorm", norm},
    {"mlp_up_proj", [](const Kernels& kernels,
                       const Sizes& s) { return kernels.product(kType, s.tokens, 2 * s.inner / s.shards, s.hidden); }},
    {"mlp_act",  // silu(x) y, one kernel
     [](const Kernels& kernels, const Sizes& s) {
       const ir::Type half = tokens_of(s, s.inner / s.shards);
       return kernels.op("Mul", {half, half});
     }},
    {"mlp_down_proj", [](const Kernels& kernels,
                         const Sizes& s) { return kernels.product(kType, s.tokens, s.hidden, s.inner / s.shards); }},
    {"add", [](const Kernels& kernels, const Sizes& s) {
       return kernels.op("Add", {tokens_of(s, s.hidden), tokens_of(s, s.hidden)});
     }}};

const Kernels& kernels_of(std::string_view file) {
  static const std::map<std::string_view, Kernels> all = {
      {"a100", Kernels("A100-SXM4-80GB")}, {"a40_", Kernels("A40-48GB")}, {"h100", Kernels("H100-SXM5-80GB")}};
  return all.at(file.substr(0, 4));
}

// The operators of a layer that a row has, one after the other. All weights of the layer, but not its attention.
void add(const Published& row, std::string_view file, Result& result) {
  const Kernels& kernels = kernels_of(file);
  const Sizes sizes{row.number("num_tokens"), row.number("n_embd"),     row.number("n_expanded_embd"),
                    row.number("n_head"),     row.number("vocab_size"), row.number("num_tensor_parallel_workers")};
  double measured = 0, ours = 0;
  Json parts = Json::object();
  for (const Operator& op : kOperators) {
    const std::string column = fmt::format("time_stats.{}.median", op.name);
    const double theirs = row.number(column) * 1e-3, price = op.price(kernels, sizes).value();
    // Embedding is of the model, not of a layer.
    measured += op.name == kEmbedding ? 0 : theirs;
    ours += op.name == kEmbedding ? 0 : price;
    parts.set(op.name, Json::object().set("published", theirs).set("ours", price));
  }
  result.rows.push_back(
      compare(fmt::format("{}, {} tokens, tp {}", file.substr(0, file.find('_')), sizes.tokens, sizes.shards), measured,
              ours, Json::object().set("operators", std::move(parts))));
}

// The mean error of each operator, of the times that say something at a resolution of 1 us.
void note_operators(Result& result) {
  constexpr double kShortest = 5e-6;
  for (const Operator& op : kOperators) {
    double sum = 0, bias = 0, number = 0;
    for (const Row& row : result.rows) {
      const Json* part = row.more.find("operators")->find(op.name);
      if (part == nullptr) continue;
      const double theirs = *part->find("published")->if_double();
      if (theirs < kShortest) continue;
      const double error = *part->find("ours")->if_double() / theirs - 1;
      sum += std::abs(error), bias += error, ++number;
    }
    result.notes.push_back(fmt::format("{}: {} times from 5 us, mean error {:.1f} %, of the signed errors {:+.1f} %",
                                       op.name, number, 100 * sum / number, 100 * bias / number));
  }
}

Result run(const Options& options) {
  Result result = run_kernels(
      {{"a100__Llama-2-7b-hf__mlp.csv", "a40__Llama-2-7b-hf__mlp.csv", "h100__Llama-2-7b-hf__mlp.csv"}, add}, options);
  note_groups(result, {"a100", "a40", "h100"});
  note_operators(result);
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"vidur_layers",
          "measured operators of a layer of Llama-2 7B on A100, A40 and H100, 1 to 4096 tokens, tp 1 to 8",
          "Agrawal et al., Vidur: A Large-Scale Simulation Framework for LLM Inference, MLSys 2024 (MIT)", run};
}

}  // namespace foreflow::reproduce::definitions::vidur_layers
