#include "scenario/strategy_keys/common.h"

#include <algorithm>
#include <array>

#include "foreflow/base/text.h"
#include "foreflow/transform/split_data.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

// The keys that make stages unequal.
constexpr std::array<std::string_view, 3> kOfStages = {"stage_tp", "stage_cp", "stage_sequence_parallel"};

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
  const bool trained = workload.family != nullptr && workload.trains();
  return workload.size("layers") * (trained ? workload.family->traits.stacks_in_training : 1);
}

int64_t layers_counted(const Workload& workload, const Strategy& strategy) {
  const int64_t layers = layers_of(workload);
  const auto& share    = strategy.layer_share;
  return layers == 0 ? 0 : layers + static_cast<int>(share.embedding) + static_cast<int>(share.head);
}

std::string or_count_more(const Workload& workload, const Strategy& strategy, int stages) {
  const auto& share = strategy.layer_share;
  if (share.embedding && share.head) return "";
  switch (stages - layers_of(workload)) {
    case 1: return ", or count the embedding or the head as a layer with count_as_layers embedding or head";
    case 2: return ", or count the embedding and the head as layers with count_as_layers both";
    default: return "";
  }
}

bool is_mixture_of_experts(const Workload& workload) {
  return workload.family != nullptr && workload.family->traits.has_experts;
}

std::vector<int> read_degrees(const JsonView& value, std::string_view what) {
  if (value.as_string() == "equal") return {};
  std::vector<int> degrees;
  for (const std::string& word : split(value.as_string(), ':')) {
    const auto degree = parse_number<int>(word);
    if (!degree || *degree < 1 || *degree > kMostRanks)
      value.fail("\"" + word + "\" is no " + std::string(what) + "; write one for each stage, like \"4:2\"");
    degrees.push_back(*degree);
  }
  return degrees;
}

Json write_degrees(const std::vector<int>& degrees) {
  std::string text;
  for (const int degree : degrees) text += (text.empty() ? "" : ":") + std::to_string(degree);
  return text.empty() ? Json("equal") : Json(text);
}

std::optional<Refusal> check_degrees(const StrategySource& source, std::string_view key,
                                     const std::vector<int>& degrees, int pp, std::string_view one_key) {
  if (static_cast<int>(degrees.size()) != pp) {
    return source.refused(key, "has " + std::to_string(degrees.size()) + " degrees for pp = " + std::to_string(pp) +
                                   "; write one for each device of the pipeline");
  }
  const int most = *std::max_element(degrees.begin(), degrees.end());
  if (!source.has(one_key) || degree(source.json.at(one_key)) == most) return std::nullopt;
  return source.refused(one_key, std::to_string(degree(source.json.at(one_key))) + " is not the largest of " +
                                     std::string(key) + ", which is " + std::to_string(most) +
                                     "; leave one of the two out");
}

namespace {

std::optional<Refusal> check_stage(const StrategySource& source, std::string_view key, const Strategy& strategy,
                                   int device) {
  const Workload& workload = source.workload;
  const int tp = strategy.shards_of(device), cp = strategy.contexts_of(device);
  if (auto no = check_shards(source, key, tp)) return no;
  if (strategy.vocabulary_parallel) {
    if (auto no = check_padded(source, key, "vocabulary", tp)) return no;
  }
  const std::string_view sharing = strategy.stage_cp.empty() ? key : "stage_cp";
  const int parts                = cp * (strategy.splits_sequence(device) ? tp : 1);
  const int64_t sequence = workload.size("sequence"), kv_heads = workload.size("kv_heads");
  if (sequence % parts != 0)
    return source.refused(sharing, "the " + std::to_string(parts) + " parts of the sequence in stage " +
                                       std::to_string(device + 1) + " do not divide its length of " +
                                       std::to_string(sequence) + "; pad it to a multiple of " + std::to_string(parts));
  const int64_t heads = (kv_heads > 0 ? kv_heads : workload.size("heads")) / tp;
  if (strategy.context_attention == transform::ContextAttention::all_to_all && heads % cp != 0)
    return source.refused(sharing,
                          std::to_string(cp) + " ranks of stage " + std::to_string(device + 1) + " do not divide the " +
                              std::to_string(heads) +
                              " heads of keys and values that all_to_all shares; use ring, or a divisor of it");
  if (is_mixture_of_experts(workload) && std::max<int64_t>(workload.size("routing_groups"), 1) % parts != 0)
    return source.refused(sharing, "the " + std::to_string(parts) + " parts of the sequence in stage " +
                                       std::to_string(device + 1) +
                                       " do not divide the groups that a sample is routed in; set " +
                                       "workload.routing_groups to a multiple of " + std::to_string(parts));
  const int first = transform::replicas_in_group(strategy.contexts_of(0), strategy.ep);
  const int own   = transform::replicas_in_group(cp, strategy.ep);
  if (own == first) return std::nullopt;
  return source.refused(sharing, "ep = " + std::to_string(strategy.ep) + " makes " + std::to_string(first) +
                                     " replicas share experts in stage 1 and " + std::to_string(own) + " in stage " +
                                     std::to_string(device + 1) + "; use an ep with the same number in all stages");
}

}  // namespace

std::optional<Refusal> check_stages(const StrategySource& source, std::string_view key, const Strategy& strategy) {
  const auto is_of_all = [&](size_t size) { return size == 0 || size == static_cast<size_t>(strategy.pp); };
  if (!is_of_all(strategy.stage_tp.size()) || !is_of_all(strategy.stage_cp.size()) ||
      !is_of_all(strategy.stage_sequence.size()))
    return std::nullopt;  // refused at the key that has another number
  for (int device = 0; device < strategy.pp; ++device) {
    if (auto no = check_stage(source, key, strategy, device)) return no;
  }
  if (const int64_t devices = int64_t{strategy.dp} * strategy.devices_of_replica(); devices > kMostRanks)
    return source.refused(key, std::to_string(strategy.dp) + " replicas of " +
                                   std::to_string(strategy.devices_of_replica()) +
                                   " devices are too many; use at most " + std::to_string(kMostRanks));
  return std::nullopt;
}

std::vector<std::string> in_two_runs(int64_t stages, const std::string& one, const std::string& other) {
  std::vector<std::string> all;
  for (int64_t first = 1; first < stages; ++first) {
    for (const bool one_first : {true, false}) {
      std::string text;
      for (int64_t s = 0; s < stages; ++s) text += (s > 0 ? ":" : "") + ((s < first) == one_first ? one : other);
      all.push_back(text);
    }
  }
  return all;
}

std::vector<Json> degrees_of_stages(const Json& point, std::string_view key, int64_t most,
                                    const std::function<bool(const Json&)>& fits) {
  const int64_t stages = whole_or(point, "pp", 1);
  if (most < 1 || stages < 2) return {};
  std::vector<Json> values = {Json("equal")};
  for (const int64_t few : divisors(most)) {
    if (few == most) continue;
    for (const std::string& text : in_two_runs(stages, std::to_string(most), std::to_string(few))) {
      if (fits(Json(point).set(std::string(key), text))) values.emplace_back(text);
    }
  }
  return values;
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

bool has_unequal_stages(const Json& point) {
  return std::any_of(kOfStages.begin(), kOfStages.end(),
                     [&](std::string_view key) { return word_or(point, key, "equal") != "equal"; });
}

namespace {

// The degrees in "4:2"; 0 for what is none. Where stages are equal, the degree at `one_key` for all of them.
std::vector<int64_t> degrees_of_stages(const Json& point, std::string_view key, std::string_view one_key) {
  const std::string_view text = word_or(point, key, "equal");
  if (text == "equal")
    return std::vector(static_cast<size_t>(std::clamp<int64_t>(whole_or(point, "pp", 1), 1, kMostRanks)),
                       std::clamp<int64_t>(whole_or(point, one_key, 1), 0, kMostRanks));
  std::vector<int64_t> all;
  for (const std::string& word : split(text, ':'))
    all.push_back(std::clamp<int64_t>(parse_number<int64_t>(word).value_or(0), 0, kMostRanks));
  return all;
}

bool suits(const Json& point, std::string_view key, std::string_view one_key) {
  if (word_or(point, key, "equal") == "equal") return true;
  const std::vector<int64_t> degrees = degrees_of_stages(point, key, one_key);
  return static_cast<int64_t>(degrees.size()) == whole_or(point, "pp", 1) &&
         *std::max_element(degrees.begin(), degrees.end()) == whole_or(point, one_key, 1);
}

}  // namespace

bool suits_stages(const Json& point) { return suits(point, "stage_tp", "tp") && suits(point, "stage_cp", "cp"); }

int64_t devices_of(const Json& point) {
  const auto times = [](int64_t a, int64_t b) { return b != 0 && a > INT64_MAX / b ? INT64_MAX : a * b; };
  if (!has_unequal_stages(point))
    return times(times(whole_or(point, "dp", 1), whole_or(point, "cp", 1)),
                 times(whole_or(point, "tp", 1), whole_or(point, "pp", 1)));
  const std::vector<int64_t> shards   = degrees_of_stages(point, "stage_tp", "tp"),
                             contexts = degrees_of_stages(point, "stage_cp", "cp");
  int64_t devices                     = 0;
  for (size_t stage = 0; stage < std::min(shards.size(), contexts.size()); ++stage)
    devices += shards[stage] * contexts[stage];
  return times(whole_or(point, "dp", 1), devices);
}

int64_t replicas_sharing(const Json& point) {
  const auto ranks = [&](std::string_view key) {
    return static_cast<int>(std::clamp<int64_t>(whole_or(point, key, 1), 1, kMostRanks));
  };
  return transform::replicas_in_group(ranks("cp"), ranks("ep"));
}

bool has_copies(const SpaceFacts& facts, const Json& point) {
  return facts.training && (whole_or(point, "dp", 1) > 1 || whole_or(point, "cp", 1) > 1);
}

}  // namespace foreflow::scenario
