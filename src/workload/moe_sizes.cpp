#include "moe_sizes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "foreflow/base/text.h"
#include "sizes.h"

namespace foreflow::workload {
namespace {

struct Preset {
  std::string_view name;
  int64_t layers, hidden, ffn, heads, kv_heads, sequence, vocabulary, experts, top_k;
  double rotary_base;
};

// Mixtral: Jiang et al., 2024, Table 1, and the configuration files published with the weights.
constexpr std::array kPresets = {
    Preset{"", 12, 768, 3072, 12, 12, 1024, 32000, 8, 2, 1e4},
    Preset{"mixtral-8x7b", 32, 4096, 14336, 32, 8, 4096, 32000, 8, 2, 1e6},
    Preset{"mixtral-8x22b", 56, 6144, 16384, 48, 8, 4096, 32768, 8, 2, 1e6},
};

const Preset& preset_of(const JsonView& json) {
  const std::string name = json.string_or("preset", "");
  const auto* const row  = std::find_if(kPresets.begin(), kPresets.end(), [&](const Preset& one) { return one.name == name; });
  if (row != kPresets.end()) return *row;
  std::vector<std::string> names;
  for (const Preset& one : kPresets) {
    if (!one.name.empty()) names.emplace_back(one.name);
  }
  json.at("preset").fail("unknown preset \"" + name + "\"; use " + list_or(names));
}

std::string place(const JsonView& json, const std::string& key) {
  return json.where() + (json.has(key) ? "." + key : "");
}

void check_divides(const JsonView& json, const std::string& key, int64_t part, const std::string& what, int64_t whole,
                   const std::string& of) {
  if (whole % part == 0) return;
  throw Error(place(json, key), std::to_string(part) + " " + what + " do not divide " + of + " " + std::to_string(whole) +
                                    "; use a divisor of it");
}

// GShard's capacity: an even share of the group's choices, times a factor; a token chooses an expert once.
int64_t capacity_of(const JsonView& json, const MoeSizes& sizes) {
  constexpr double kFactor = 1.25;
  const double factor      = json.has("capacity_factor") ? json.at("capacity_factor").as_number() : kFactor;
  if (!(factor > 0)) json.at("capacity_factor").fail("is not above 0; use 1 for an even share, or more");
  const double share = factor * static_cast<double>(sizes.top_k * sizes.tokens()) / static_cast<double>(sizes.experts);
  return static_cast<int64_t>(std::clamp(std::ceil(share), 1.0, static_cast<double>(sizes.tokens())));
}

}  // namespace

MoeSizes read_moe(const Request& request) {
  const JsonView& json = request.sizes;
  const Preset& preset = preset_of(json);
  MoeSizes sizes{};
  sizes.layers         = positive(json, "layers", preset.layers, kMostLayers);
  sizes.hidden         = positive(json, "hidden", preset.hidden);
  sizes.heads          = positive(json, "heads", preset.heads);
  sizes.kv_heads       = positive(json, "kv_heads", preset.name.empty() ? sizes.heads : preset.kv_heads);
  sizes.ffn            = positive(json, "ffn", preset.name.empty() ? 4 * sizes.hidden : preset.ffn);
  sizes.sequence       = positive(json, "sequence", preset.sequence);
  sizes.vocabulary     = positive(json, "vocabulary", preset.vocabulary);
  sizes.experts        = positive(json, "experts", preset.experts);
  sizes.top_k          = positive(json, "top_k", std::min(preset.top_k, sizes.experts));
  sizes.shared_experts = json.has("shared_experts") ? json.at("shared_experts").as_int() : 0;
  sizes.groups         = positive(json, "routing_groups", 1);
  sizes.normalise      = json.bool_or("normalise_gates", true);
  sizes.rotary_base    = preset.rotary_base;
  sizes.batch          = request.batch;
  check_divides(json, "heads", sizes.heads, "heads", sizes.hidden, "the hidden size");
  check_divides(json, "kv_heads", sizes.kv_heads, "heads of keys and values", sizes.heads, "the number of heads");
  check_divides(json, "routing_groups", sizes.groups, "groups", sizes.sequence, "the sequence length");
  if (sizes.width() % 2 != 0)
    throw Error(place(json, "heads"), "makes heads of " + std::to_string(sizes.width()) + "; rotary embeddings need an even size");
  if (sizes.top_k > sizes.experts)
    throw Error(place(json, "top_k"), std::to_string(sizes.top_k) + " of " + std::to_string(sizes.experts) + " experts cannot be chosen; use at most " + std::to_string(sizes.experts));
  if (sizes.shared_experts < 0) json.at("shared_experts").fail("is less than 0; use 0 or more");
  sizes.capacity = capacity_of(json, sizes);
  return sizes;
}

std::vector<Key> moe_keys() {
  return {{"preset", "the sizes of a published model, a name: mixtral-8x7b or mixtral-8x22b"},
          {"layers", "transformer blocks (12)"},
          {"hidden", "width (768)"},
          {"ffn", "width inside an expert (4 x hidden)"},
          {"heads", "attention heads (12)"},
          {"kv_heads", "heads of keys and values (as many as heads)"},
          {"sequence", "tokens a sample (1024)"},
          {"vocabulary", "tokens in the vocabulary (32000)"},
          {"experts", "experts of a layer (8)"},
          {"top_k", "experts that a token chooses (2)"},
          {"capacity_factor", "places of an expert over its even share, a number (1.25)"},
          {"routing_groups", "groups of a sample that are routed one by one, each with its own places (1)"},
          {"shared_experts", "experts that every token passes (0)"},
          {"normalise_gates", "whether the gates of a token add up to 1, true or false (true)"}};
}

}  // namespace foreflow::workload
