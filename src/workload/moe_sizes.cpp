#include "workload/moe_sizes.h"

#include <algorithm>
#include <cmath>

#include "workload/residual.h"
#include "workload/sizes.h"

namespace foreflow::workload {
namespace {

void check_divides(const KeyValues& stated, const std::string& key, int64_t part, const std::string& what,
                   int64_t whole, const std::string& of) {
  if (whole % part == 0) return;
  stated.fail(key, std::to_string(part) + " " + what + " do not divide " + of + " " + std::to_string(whole) +
                       "; use a divisor of it");
}

int64_t read_count(const FilledValues& values, std::string_view key) {
  const int64_t count = values.integer(key);
  if (count < 0 || count > kLargestSize)
    values.stated().fail(key, std::to_string(count) + " is no number of them; use 0 or more");
  return count;
}

// The parts besides routed experts: dense layers, shared experts, the routers' loss.
void read_others(const FilledValues& values, MoeSizes& sizes) {
  const KeyValues& stated  = values.stated();
  sizes.shared_experts     = read_count(values, "shared_experts");
  sizes.dense_layers       = read_count(values, "dense_layers");
  sizes.dense_feed_forward = positive(values, "dense_feed_forward");
  sizes.balance_loss       = values.number("balance_loss");
  if (sizes.dense_layers >= sizes.layers) {
    stated.fail("dense_layers", std::to_string(sizes.dense_layers) + " dense layers leave none of the " +
                                    std::to_string(sizes.layers) + " layers with experts; use fewer");
  }
  if (!(sizes.balance_loss >= 0)) stated.fail("balance_loss", "is less than 0; use 0 for none, or 0.01");
}

}  // namespace

Routing MoeSizes::routing(int64_t rows) const {
  if (rows == 1) return {1, 1, 1};
  // GShard's capacity: an even share of the group's choices, times a factor; a token chooses an expert once.
  const int64_t tokens = rows / groups;
  const double share   = capacity_factor * static_cast<double>(top_k * tokens) / static_cast<double>(experts);
  return {groups, tokens, static_cast<int64_t>(std::clamp(std::ceil(share), 1.0, static_cast<double>(tokens)))};
}

MoeSizes read_moe(const FilledValues& values, const Request& request) {
  const KeyValues& stated = values.stated();
  MoeSizes sizes{};
  sizes.layers        = positive(values, "layers", kMostLayers);
  sizes.hidden        = positive(values, "hidden");
  sizes.heads         = positive(values, "heads");
  sizes.kv_heads      = positive(values, "kv_heads");
  sizes.ffn           = positive(values, "feed_forward");
  sizes.sequence      = positive(values, "sequence");
  sizes.vocabulary    = positive(values, "vocabulary");
  sizes.experts       = positive(values, "experts");
  sizes.top_k         = positive(values, "top_k");
  sizes.context       = positive(values, "context");
  sizes.groups        = positive(values, "routing_groups");
  sizes.normalise     = values.flag("normalise_gates");
  sizes.rotary_base   = static_cast<double>(positive(values, "rotary_base"));
  sizes.batch         = request.batch;
  sizes.kept_as       = read_cache_dtype(values, request);
  sizes.fp32_residual = read_fp32_residual(values, request);
  if (!stated.has("head_size")) check_divides(stated, "heads", sizes.heads, "heads", sizes.hidden, "the hidden size");
  sizes.head_size = positive(values, "head_size");
  check_divides(stated, "kv_heads", sizes.kv_heads, "heads of keys and values", sizes.heads, "the number of heads");
  check_divides(stated, "routing_groups", sizes.groups, "groups", sizes.sequence, "the sequence length");
  if (sizes.head_size % 2 != 0)
    stated.fail(stated.has("head_size") ? "head_size" : "heads",
                "makes heads of " + std::to_string(sizes.head_size) + "; rotary embeddings need an even size");
  if (sizes.top_k > sizes.experts)
    stated.fail("top_k", std::to_string(sizes.top_k) + " of " + std::to_string(sizes.experts) +
                             " experts cannot be chosen; use at most " + std::to_string(sizes.experts));
  sizes.capacity_factor = values.number("capacity_factor");
  if (!(sizes.capacity_factor > 0)) stated.fail("capacity_factor", "is not above 0; use 1 for an even share, or more");
  read_others(values, sizes);
  return sizes;
}

const std::vector<Key>& moe_keys() {
  using Kind                         = Key::Kind;
  static const std::vector<Key> rows = {
      {"layers", "transformer blocks", 12},
      {"hidden", "width", 768},
      {"feed_forward", "width inside an expert", Derived{"4 x hidden", four_hidden}},
      {"heads", "attention heads", 12},
      {"kv_heads", "heads of keys and values", Derived{"as many as heads", same_as_heads}},
      {"head_size", "width of a head", Derived{"hidden / heads", hidden_of_head}},
      {"sequence", "tokens a sample", 1024},
      {"rotary_base", "of the angles of the rotary embeddings", 10000},
      {"vocabulary", "tokens in the vocabulary", 32000},
      {"experts", "experts of a layer", 8},
      {"top_k", "experts that a token chooses",
       Derived{"2", [](const FilledValues& values) { return std::min<int64_t>(2, values.size("experts")); }}},
      {"capacity_factor", "places of an expert over its even share; decoding, which drops no token, needs none", 1.25,
       Kind::number},
      {"routing_groups", "groups of a sample that are routed one by one, each with its own places", 1},
      {"shared_experts", "experts that every token passes", 0},
      {"dense_layers", "first layers with one MLP in place of experts", 0},
      {"dense_feed_forward", "width inside their MLP",
       Derived{"feed_forward", [](const FilledValues& values) { return values.size("feed_forward"); }}},
      {"normalise_gates", "whether the gates of a token add up to 1", true, Kind::boolean},
      {"balance_loss", "training: weight of the loss that keeps the experts' loads even, 0.01 in Switch Transformers",
       0.0, Kind::number},
      fp32_residual_key(),
      phase_key(),
      cache_dtype_key(),
      {"context", "decode: tokens in the cache", Derived{"sequence", same_as_sequence}}};
  return rows;
}

}  // namespace foreflow::workload
