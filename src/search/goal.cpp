#include "search/goal.h"

#include <algorithm>

namespace foreflow::search {
namespace {

// The first objective of the goal that needs a price; null: none does.
const ObjectiveDef* priced(const Goal& goal) {
  for (const ObjectiveDef* one : {goal.objective, goal.front[0], goal.front[1]}) {
    if (one->needs_price) return one;
  }
  return nullptr;
}

// Sizes of a workload do not depend on the batch.
int64_t tokens_of(const scenario::Scenario& scenario, const ObjectiveDef& objective) {
  const int64_t tokens = scenario::build(scenario).tokens_per_sample;
  if (tokens == 0) {
    throw Error(scenario.where("workload"), "has no tokens, which the objective " + std::string(objective.name) +
                                                " counts; take a sequence model, or another objective");
  }
  return tokens;
}

}  // namespace

Goal settled(Goal goal, const scenario::Scenario& scenario) {
  const ObjectiveDef* const needs = priced(goal);
  const auto of = [](const ObjectiveDef& objective) { return "the objective " + std::string(objective.name); };
  if (goal.front[0] == goal.front[1])
    throw Error("--pareto", "names " + std::string(goal.front[0]->name) + " twice; give two objectives");
  if (goal.objective->needs_rate && goal.terms.at_least <= 0)
    throw Error("--at-least", of(*goal.objective) + " is for a rate; give the samples per second that are enough");
  const bool has_price = goal.terms.price > 0 || !goal.prices.empty();
  if (needs != nullptr && !has_price)
    throw Error("--price", of(*needs) + " needs it; give the dollars for an hour of one device");
  if (needs == nullptr && has_price)
    throw Error("--price", "is for an objective in dollars; add --objective cost, or cost to --pareto");
  if (needs != nullptr) goal.terms.tokens_per_sample = tokens_of(scenario, *needs);
  return goal;
}

}  // namespace foreflow::search
