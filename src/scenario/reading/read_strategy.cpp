#include <algorithm>

#include "foreflow/scenario/strategy_key.h"
#include "foreflow/transform/split_data.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

void read_key(const StrategyKeyDef& key, const JsonView& json, Strategy& strategy) {
  if (json.has(key.name)) return key.read(json.at(key.name), strategy);
  if (!key.fallback.is_null()) key.read(JsonView(key.fallback, json.file()), strategy);
}

}  // namespace

int Strategy::replicas_sharing() const { return transform::replicas_in_group(cp, ep); }

int Strategy::most_contexts() const {
  return stage_cp.empty() ? cp : *std::max_element(stage_cp.begin(), stage_cp.end());
}

transform::DataParallel Strategy::data_parallel() const {
  return {.ways           = dp / replicas_sharing(),
          .zero           = zero,
          .overlap        = overlap_gradients,
          .bucket         = bucket,
          .first_bucket   = first_bucket,
          .by_block       = by_block,
          .prefetch       = prefetch,
          .keeps_gathered = keeps_gathered,
          .float_gathers  = float_gathers,
          .reduce_dtype   = reduce_dtype,
          .limit_scatters = limit_scatters,
          .has_copies     = most_contexts() > 1 || replicas_sharing() > 1};
}

int Strategy::first_rank(int device) const {
  int ranks = 0;
  for (int before = 0; before < device; ++before) ranks += shards_of(before) * contexts_of(before);
  return ranks;
}

int Strategy::device_of_rank(int rank) const {
  int device = 0;
  while (first_rank(device + 1) <= rank) ++device;
  return device;
}

std::vector<transform::StageSharding> Strategy::shardings() const {
  std::vector<transform::StageSharding> all;
  for (int device = 0; device < pp; ++device) {
    transform::Sharding one = sharding();
    one.sequence            = splits_sequence(device);
    one.vocabulary          = vocabulary_parallel && shards_of(device) > 1;
    all.push_back({shards_of(device), one, contexts_of(device), ep, context_attention, reduce_dtype});
  }
  return all;
}

Expected<Strategy> try_read_strategy(const JsonView& json, const Workload& workload) {
  static const KnownKeys kAll = known_keys([](std::string_view) { return true; });
  return try_read_strategy(json, workload, kAll);
}

Expected<Strategy> try_read_strategy(const JsonView& json, const Workload& workload, const KnownKeys& keys) {
  Strategy strategy;
  const StrategySource source{json, workload};
  const StrategyKeyDef* at_hand = nullptr;
  try {
    for (const StrategyKeyDef* key : keys.read) {
      at_hand = key;
      read_key(*key, json, strategy);
    }
    for (const StrategyKeyDef* key : keys.settle) {
      at_hand = key;
      if (auto refusal = key->settle(source, strategy)) return *std::move(refusal);
    }
  } catch (const RefusalError& error) {
    return error.refusal();
  } catch (const Error& error) {  // the value is illegal, whatever the other keys are
    return Refusal(Cause::value, error.where(), error.problem(), std::string(at_hand->name));
  }
  return strategy;
}

void adapt_to(const cost::CostModel& cost, const JsonView& json, Strategy& strategy) {
  for (const StrategyKeyDef& key : strategy_keys()) {
    if (key.adapt != nullptr && !json.has(key.name)) key.adapt(cost, strategy);
  }
}

}  // namespace foreflow::scenario
