// Strategies and balances: the two tables from which a plan is made.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "foreflow/base/registry.h"
#include "foreflow/reshard/plan.h"
#include "foreflow/reshard/schedule_problem.h"

namespace foreflow::reshard {

struct BalanceDef;

struct PlanOptions {
  const BalanceDef* balance = nullptr;  // null: the first row of balances()
  int chunks                = 0;        // of broadcasts; 0: chosen
  uint64_t seed             = 0;        // of randomised balances
  int64_t node_budget       = 20'000;   // nodes that a tree search may visit
};

// How one unit task is communicated, and in which order all of them are.
struct StrategyDef {
  std::string_view name;  // "broadcast"
  std::string_view doc;
  std::string_view source;
  bool moves_data;  // false: one byte for each message, to know what their latencies take
  bool balanced;    // whether a balance orders its unit tasks
  Plan (*plan)(const UnitTasks& units, const Ports& ports, const PlanOptions& options);
};
const Registry<StrategyDef>& strategies();  // the first row is the default

// Chooses the sender and the start of each task of a problem.
struct BalanceDef {
  std::string_view name;  // "ensemble"
  std::string_view doc;
  std::string_view source;
  Schedule (*solve)(const Problem& problem, const PlanOptions& options);
};
const Registry<BalanceDef>& balances();  // the first row is the default

}  // namespace foreflow::reshard
