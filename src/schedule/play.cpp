#include "foreflow/schedule/play.h"

#include <fmt/core.h>

#include "foreflow/base/nth.h"

namespace foreflow::schedule {

Costs whole_costs(double forward, double backward, double hop) { return {forward, backward / 2, backward / 2, hop}; }

void check_costs(const Costs& costs, const std::string& where) {
  constexpr double kMost = 1e100;  // far below the largest double: no number of tasks makes a sum infinite
  const auto refuse      = [&](const char* name, double value, const char* right) {
    throw Error(where,
                     fmt::format("a cost of {} for the {}; it is a number {}, at most {}", value, name, right, kMost));
  };
  const auto check_work = [&](const char* name, double value) {
    if (!(value > 0 && value <= kMost)) refuse(name, value, "above 0");
  };
  check_work("forward", costs.forward);
  check_work("backward", costs.backward());
  check_work("input gradient", costs.input_grad);
  check_work("weight gradient", costs.weight_grad);
  if (!(costs.hop >= 0 && costs.hop <= kMost)) refuse("hop", costs.hop, "of 0 or more");
}

double task_time(const Plan& plan, const Costs& costs, size_t device, const Task& task) {
  const int stage = plan.stage_of(static_cast<int>(device), task.chunk);
  const bool even = costs.stages.empty();
  FOREFLOW_CHECK(even || costs.stages.size() == static_cast<size_t>(plan.stages()), "costs of every virtual stage");
  const StageCosts work =
      even ? StageCosts{costs.forward, costs.input_grad, costs.weight_grad} : nth(costs.stages, stage);
  const int share = even ? plan.size.chunks / plan.pipes() : 1;
  switch (task.phase) {
    case Phase::forward: return work.forward / share;
    case Phase::backward: return (work.input_grad + work.weight_grad) / share;
    case Phase::input_grad: return work.input_grad / share;
    case Phase::weight_grad: return work.weight_grad / share;
  }
  FOREFLOW_CHECK(false, "a phase that is none");
}

}  // namespace foreflow::schedule
