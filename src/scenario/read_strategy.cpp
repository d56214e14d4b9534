#include "foreflow/scenario/strategy_key.h"
#include "foreflow/transform/spread.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

void read_key(const StrategyKeyDef& key, const JsonView& json, Strategy& strategy) {
  if (key.read == nullptr) return;
  if (json.has(key.name)) return key.read(json.at(key.name), strategy);
  if (!key.fallback.is_null()) key.read(JsonView(key.fallback, json.file()), strategy);
}

}  // namespace

int Strategy::replicas_sharing() const { return transform::replicas_in_group(cp, ep); }

Strategy read_strategy(const JsonView& json, const Workload& workload) {
  json.allow_only(strategy_keys().names());
  Strategy strategy;
  for (const StrategyKeyDef& key : strategy_keys()) read_key(key, json, strategy);
  const StrategySource source{json, workload};
  for (const StrategyKeyDef& key : strategy_keys()) {
    if (key.settle != nullptr) key.settle(source, strategy);
  }
  return strategy;
}

void adapt_to(const cost::CostModel& cost, const JsonView& json, Strategy& strategy) {
  for (const StrategyKeyDef& key : strategy_keys()) {
    if (key.adapt != nullptr && !json.has(key.name)) key.adapt(cost, strategy);
  }
}

}  // namespace foreflow::scenario
