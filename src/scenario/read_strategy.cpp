#include "foreflow/base/text.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

constexpr int64_t kMostDevices = 1 << 20;

int degree(const JsonView& json, std::string_view key) {
  const int64_t value = positive_or(json, key, 1);
  if (value > kMostDevices)
    json.at(key).fail(std::to_string(value) + " is too large; use at most " + std::to_string(kMostDevices));
  return static_cast<int>(value);
}

// "1, 2, 4 or 8"; the first dozen when there are many.
std::string choices(int64_t number) {
  constexpr size_t kShown = 12;
  std::vector<std::string> words;
  for (const int64_t divisor : divisors(number)) words.push_back(std::to_string(divisor));
  if (words.size() <= kShown) return list_or(words);
  std::string text;
  for (size_t i = 0; i < kShown; ++i) text += words[i] + ", ";
  return text + "... or " + words.back();
}

}  // namespace

void check_divides(const JsonView& json, std::string_view key, int64_t value, int64_t number, const std::string& what) {
  if (number % value != 0)
    json.at(key).fail(std::to_string(value) + " does not divide " + what + "; use " + choices(number));
}

int64_t stated(const JsonView& sizes, std::string_view key) {
  const Json* value     = sizes.json().find(key);
  const int64_t* number = value == nullptr ? nullptr : value->if_int();
  return number != nullptr && *number > 0 && *number <= kLargestNumber ? *number : 0;
}

namespace {

// Of the whole model, 0 where it has none: T5 has as many in its encoder as in its decoder.
int64_t layers_of(const Workload& workload, const JsonView& sizes) {
  const bool twice =
      workload.family != nullptr && workload.family->name == "t5" && workload.mode == workload::Mode::training;
  return stated(sizes, "layers") * (twice ? 2 : 1);
}

void check_sizes(const JsonView& json, const Strategy& strategy, const JsonView& sizes, int64_t layers) {
  const int64_t heads = stated(sizes, "heads"), hidden = stated(sizes, "hidden");
  if (heads > 0) check_divides(json, "tp", strategy.tp, heads, "the " + std::to_string(heads) + " attention heads");
  const int64_t kv_heads = stated(sizes, "kv_heads");
  if (kv_heads > 0)
    check_divides(json, "tp", strategy.tp, kv_heads, "the " + std::to_string(kv_heads) + " heads of keys and values");
  if (hidden > 0) check_divides(json, "tp", strategy.tp, hidden, "the hidden size " + std::to_string(hidden));
  if (layers > 0 && strategy.pp > layers) {
    json.at("pp").fail(std::to_string(strategy.pp) + " stages are more than the " + std::to_string(layers) +
                       " layers; use at most " + std::to_string(layers));
  }
}

int read_microbatches(const JsonView& json, const Strategy& strategy) {
  if (json.has("microbatches") && json.has("microbatch_size")) {
    json.at("microbatch_size").fail("stands beside microbatches; give one of them");
  }
  if (strategy.global_batch == 0) {
    if (json.has("microbatch_size")) json.at("microbatch_size").fail("needs a global_batch; give it, or microbatches");
    return degree(json, "microbatches");
  }
  const int64_t replica     = strategy.global_batch / strategy.dp;
  const std::string samples = "the " + std::to_string(replica) + " samples of each replica";
  const int64_t size        = positive_or(json, "microbatch_size", 1);
  if (json.has("microbatch_size")) {
    check_divides(json, "microbatch_size", size, replica, samples);
    if (replica / size > kMostDevices) {
      json.at("microbatch_size")
          .fail("makes " + std::to_string(replica / size) + " microbatches; use at most " +
                std::to_string(kMostDevices));
    }
    return static_cast<int>(replica / size);
  }
  const int microbatches = degree(json, "microbatches");
  check_divides(json, "microbatches", microbatches, replica, samples);
  return microbatches;
}

}  // namespace

const std::vector<std::string>& strategy_keys() {
  // clang-format off
  static const std::vector<std::string> keys = {
      "dp", "tp", "pp", "microbatches", "microbatch_size", "global_batch", "schedule", "virtual_stages",
      "stage_partition", "stage_shares", "delay_weight_gradients", "gather_results", "recompute", "zero",
      "sequence_parallel", "overlap_gradients", "bucket_size", "overlap_sends", "overlap_tensor", "tensor_plan",
      "vocabulary_parallel", "offload", "cp", "ep", "context_attention"};
  // clang-format on
  return keys;
}

Strategy read_strategy(const JsonView& json, const Workload& workload, const JsonView& sizes) {
  json.allow_only(strategy_keys());
  Strategy strategy;
  strategy.dp           = degree(json, "dp");
  strategy.tp           = degree(json, "tp");
  strategy.pp           = degree(json, "pp");
  const bool family     = workload.source == Workload::Source::family;
  strategy.global_batch = family || json.has("global_batch") ? positive_or(json, "global_batch", 1) : 0;
  strategy.results =
      json.bool_or("gather_results", true) ? transform::Results::gather : transform::Results::leave_split;
  read_sharing(json, workload, sizes, strategy);
  const int64_t layers = layers_of(workload, sizes);
  check_sizes(json, strategy, sizes, layers);
  read_tensor_parallelism(json, sizes, strategy);
  if (strategy.global_batch > 0)
    check_divides(json, "dp", strategy.dp, strategy.global_batch,
                  "the global batch " + std::to_string(strategy.global_batch));
  strategy.microbatches = read_microbatches(json, strategy);
  read_pipeline(json, workload, layers, strategy);
  read_exchange(json, workload, strategy);
  strategy.recompute = read_recompute(json, workload);
  strategy.offload   = read_offload(json, workload);
  return strategy;
}

Expected<Strategy> try_read_strategy(const JsonView& json, const Workload& workload, const JsonView& sizes) {
  try {
    return read_strategy(json, workload, sizes);
  } catch (const Error& error) {
    const size_t root = json.where().size() + 1;
    return Refusal(Cause::value, error.where(), error.problem(),
                   error.where().size() > root ? error.where().substr(root) : "");
  }
}

}  // namespace foreflow::scenario
