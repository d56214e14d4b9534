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

Expected<Strategy> try_read_strategy(const JsonView& json, const Workload& workload) {
  try {
    return read_strategy(json, workload);
  } catch (const Error& error) {
    const size_t root = json.where().size() + 1;
    return Refusal(Cause::value, error.where(), error.problem(),
                   error.where().size() > root ? error.where().substr(root) : "");
  }
}

void adapt_to(const cost::CostModel& cost, const JsonView& json, Strategy& strategy) {
  for (const StrategyKeyDef& key : strategy_keys()) {
    if (key.adapt != nullptr && !json.has(key.name)) key.adapt(cost, strategy);
  }
}

}  // namespace foreflow::scenario
