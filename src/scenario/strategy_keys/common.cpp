#include "scenario/strategy_keys/common.h"

#include <algorithm>
#include <numeric>

#include "foreflow/base/text.h"
#include "foreflow/transform/split_data.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

// "1, 2, 4 or 8"; the first dozen when there are many.
std::string divisors_in_words(int64_t number) {
  constexpr size_t kShown = 12;
  std::vector<std::string> words;
  for (const int64_t divisor : divisors(number)) words.push_back(std::to_string(divisor));
  if (words.size() <= kShown) return list_or(words);
  std::string text;
  for (size_t i = 0; i < kShown; ++i) text += words[i] + ", ";
  return text + "... or " + words.back();
}

}  // namespace

ValueType degree_type() { return types::whole(1, kMostRanks); }

int degree(const JsonView& value) { return static_cast<int>(positive(value, kMostRanks)); }

std::optional<Refusal> check_divides(const StrategySource& source, std::string_view key, int64_t value, int64_t number,
                                     const std::string& what) {
  if (number % value != 0)
    return source.refused(key,
                          std::to_string(value) + " does not divide " + what + "; use " + divisors_in_words(number));
  return std::nullopt;
}

std::optional<Refusal> check_shards(const StrategySource& source, std::string_view key, int tp) {
  const Workload& workload = source.workload;
  const int64_t heads = workload.size("heads"), kv_heads = workload.size("kv_heads"), hidden = workload.size("hidden");
  if (heads > 0) {
    if (auto no = check_divides(source, key, tp, heads, "the " + std::to_string(heads) + " attention heads")) return no;
  }
  if (kv_heads > 0) {
    if (auto no =
            check_divides(source, key, tp, kv_heads, "the " + std::to_string(kv_heads) + " heads of keys and values"))
      return no;
  }
  if (hidden > 0) {
    if (auto no = check_divides(source, key, tp, hidden, "the hidden size " + std::to_string(hidden))) return no;
  }
  return std::nullopt;
}

std::optional<Refusal> check_padded(const StrategySource& source, std::string_view key, std::string_view size, int tp) {
  const int64_t number = source.workload.size(size);
  if (number % tp == 0) return std::nullopt;
  const int64_t padded = (number + tp - 1) / tp * tp;
  return source.refused(key, "tp = " + std::to_string(tp) + " does not divide the " + std::string(size) + " of " +
                                 std::to_string(number) + "; pad it to " + std::to_string(padded));
}

std::optional<Refusal> check_trains(const StrategySource& source, std::string_view key, const std::string& value,
                                    const std::string& otherwise) {
  if (source.infers())
    return source.refused(key, value + " needs a backward pass, which inference does not have; use " + otherwise);
  return std::nullopt;
}

// T5 has as many layers in its encoder as in its decoder.
int64_t layers_of(const Workload& workload) {
  const bool trained = workload.family != nullptr && workload.mode == workload::Mode::training;
  return workload.size("layers") * (trained ? workload.family->traits.stacks_in_training : 1);
}

int64_t layers_counted(const Workload& workload, const Strategy& strategy) {
  const int64_t layers = layers_of(workload);
  const auto& share    = strategy.layer_share;
  return layers == 0 ? 0 : layers + static_cast<int>(share.embedding) + static_cast<int>(share.head);
}

std::string or_count_more(const Workload& workload, const Strategy& strategy, int stages) {
  const auto& share = strategy.layer_share;
  if ((share.embedding && share.head) || stages > layers_of(workload) + 2) return "";
  return ", or count the embedding and the head as layers with count_as_layers both";
}

bool is_mixture_of_experts(const Workload& workload) {
  return workload.family != nullptr && workload.family->traits.has_experts;
}

std::vector<Json> yes_or_no() { return {Json(false), Json(true)}; }

std::vector<Json> whole_values(const std::vector<int64_t>& numbers) { return {numbers.begin(), numbers.end()}; }

std::vector<Json> words(const std::vector<std::string>& words) { return {words.begin(), words.end()}; }

bool is_fused(const SpaceFacts& facts, const Json& point) {
  const bool blocks = whole_or(point, "cp", 1) > 1 && word_or(point, "context_attention", "all_gather") != "all_gather";
  return blocks || word_or(point, "attention", facts.flash ? "flash" : "unfused") == "flash";
}

bool is_pipelined(const Json& point) { return whole_or(point, "pp", 1) > 1; }

int64_t counted_as_layers(const Json& point) {
  const std::string_view word = word_or(point, "count_as_layers", "none");
  return word == "both" ? 2 : word == "none" ? 0 : 1;
}

bool cuts_at_layers(const Json& point) {
  const bool states_ends = whole_or(point, "first_stage_layers", 0) > 0 || whole_or(point, "last_stage_layers", 0) > 0;
  if (states_ends) return false;  // their number is no divisor of all layers
  return word_or(point, "stage_partition", "balanced") == "layers" || counted_as_layers(point) > 0;
}

bool has_unequal_stages(const Json& point) { return word_or(point, "stage_tp", "equal") != "equal"; }

namespace {

// The degrees in "4:2"; 0 for what is none.
std::vector<int64_t> degrees_of_stages(const Json& point) {
  std::vector<int64_t> all;
  for (const std::string& word : split(word_or(point, "stage_tp", ""), ':'))
    all.push_back(std::clamp<int64_t>(parse_number<int64_t>(word).value_or(0), 0, kMostRanks));
  return all;
}

}  // namespace

bool suits_stages(const Json& point) {
  if (!has_unequal_stages(point)) return true;
  const std::vector<int64_t> degrees = degrees_of_stages(point);
  return static_cast<int64_t>(degrees.size()) == whole_or(point, "pp", 1) &&
         *std::max_element(degrees.begin(), degrees.end()) == whole_or(point, "tp", 1);
}

int64_t devices_of(const Json& point) {
  const auto times = [](int64_t a, int64_t b) { return b != 0 && a > INT64_MAX / b ? INT64_MAX : a * b; };
  if (!has_unequal_stages(point))
    return times(times(whole_or(point, "dp", 1), whole_or(point, "cp", 1)),
                 times(whole_or(point, "tp", 1), whole_or(point, "pp", 1)));
  const std::vector<int64_t> degrees = degrees_of_stages(point);
  const int64_t shards               = std::accumulate(degrees.begin(), degrees.end(), int64_t{0});
  return times(times(whole_or(point, "dp", 1), whole_or(point, "cp", 1)), shards);
}

int64_t replicas_sharing(const Json& point) {
  const auto ranks = [&](std::string_view key) {
    return static_cast<int>(std::clamp<int64_t>(whole_or(point, key, 1), 1, kMostRanks));
  };
  return transform::replicas_in_group(ranks("cp"), ranks("ep"));
}

bool has_copies(const SpaceFacts& facts, const Json& point) {
  return facts.training && whole_or(point, "dp", 1) > replicas_sharing(point);
}

}  // namespace foreflow::scenario
