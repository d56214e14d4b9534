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

int64_t read_count(const KeyValues& stated, std::string_view key) {
  const int64_t count = stated.integer_or(key, 0);
  if (count < 0 || count > kLargestSize)
    stated.fail(key, std::to_string(count) + " is no number of them; use 0 or more");
  return count;
}

// The parts besides routed experts: dense layers, shared experts, the routers' loss.
void read_others(const KeyValues& stated, MoeSizes& sizes) {
  sizes.shared_experts     = read_count(stated, "shared_experts");
  sizes.dense_layers       = read_count(stated, "dense_layers");
  sizes.dense_feed_forward = positive(stated, "dense_feed_forward", sizes.ffn);
  sizes.balance_loss       = stated.number_or("balance_loss", 0);
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

MoeSizes read_moe(const Request& request) {
  const KeyValues& stated = request.sizes;
  MoeSizes sizes{};
  sizes.layers      = positive(stated, "layers", 12, kMostLayers);
  sizes.hidden      = positive(stated, "hidden", 768);
  sizes.heads       = positive(stated, "heads", 12);
  sizes.kv_heads    = positive(stated, "kv_heads", sizes.heads);
  sizes.ffn         = positive(stated, "feed_forward", 4 * sizes.hidden);
  sizes.sequence    = positive(stated, "sequence", 1024);
  sizes.vocabulary  = positive(stated, "vocabulary", 32000);
  sizes.experts     = positive(stated, "experts", 8);
  sizes.top_k       = positive(stated, "top_k", std::min<int64_t>(2, sizes.experts));
  sizes.context     = positive(stated, "context", sizes.sequence);
  sizes.groups      = positive(stated, "routing_groups", 1);
  sizes.normalise   = stated.flag_or("normalise_gates", true);
  sizes.rotary_base = static_cast<double>(positive(stated, "rotary_base", 10000));
  sizes.batch       = request.batch;
  if (!stated.has("head_size")) check_divides(stated, "heads", sizes.heads, "heads", sizes.hidden, "the hidden size");
  sizes.head_size = positive(stated, "head_size", sizes.hidden / sizes.heads);
  check_divides(stated, "kv_heads", sizes.kv_heads, "heads of keys and values", sizes.heads, "the number of heads");
  check_divides(stated, "routing_groups", sizes.groups, "groups", sizes.sequence, "the sequence length");
  if (sizes.head_size % 2 != 0)
    stated.fail(stated.has("head_size") ? "head_size" : "heads",
                "makes heads of " + std::to_string(sizes.head_size) + "; rotary embeddings need an even size");
  if (sizes.top_k > sizes.experts)
    stated.fail("top_k", std::to_string(sizes.top_k) + " of " + std::to_string(sizes.experts) +
                             " experts cannot be chosen; use at most " + std::to_string(sizes.experts));
  sizes.capacity_factor = stated.number_or("capacity_factor", 1.25);
  if (!(sizes.capacity_factor > 0)) stated.fail("capacity_factor", "is not above 0; use 1 for an even share, or more");
  read_others(stated, sizes);
  return sizes;
}

std::vector<Key> moe_keys() {
  using Kind = Key::Kind;
  return {{"layers", "transformer blocks (12)"},
          {"hidden", "width (768)"},
          {"feed_forward", "width inside an expert (4 x hidden)"},
          {"heads", "attention heads (12)"},
          {"kv_heads", "heads of keys and values (as many as heads)"},
          {"head_size", "width of a head (hidden / heads)"},
          {"sequence", "tokens a sample (1024)"},
          {"rotary_base", "of the angles of the rotary embeddings (10000)"},
          {"vocabulary", "tokens in the vocabulary (32000)"},
          {"experts", "experts of a layer (8)"},
          {"top_k", "experts that a token chooses (2)"},
          {"capacity_factor", "places of an expert over its even share (1.25); decoding drops no token", Kind::number},
          {"routing_groups", "groups of a sample that are routed one by one, each with its own places (1)"},
          {"shared_experts", "experts that every token passes (0)"},
          {"dense_layers", "first layers with one MLP in place of experts (0)"},
          {"dense_feed_forward", "width inside their MLP (feed_forward)"},
          {"normalise_gates", "whether the gates of a token add up to 1 (true)", Kind::boolean},
          {"balance_loss",
           "training: weight of the loss that keeps the experts' loads even, 0.01 in Switch Transformers (0)",
           Kind::number},
          fp32_residual_key(),
          phase_key(),
          {"context", "decode: tokens in the cache (sequence)"}};
}

}  // namespace foreflow::workload
