#include "search/bounds/task_times.h"

#include <algorithm>

#include "search/bounds/message_waits.h"

namespace foreflow::search {

using transform::StageNeed;

TaskTimes::TaskTimes(const StagedStep& step) : waits_(message_waits(step)), sums_once_(step.strategy.sums_once()) {
  for (size_t m = 0; m < waits_.size(); ++m) {
    // Devices that are not members of the message do something else meanwhile.
    const double share = static_cast<double>(step.demand.messages[m].ranks) / step.group;
    messages_.push_back(share * waits_[m]);
  }
}

Seconds TaskTimes::of(const StageNeed::Task& task) const {
  Seconds all = task.compute;
  for (size_t m = 0; m < task.messages.size(); ++m) all += static_cast<double>(task.messages[m]) * messages_[m];
  return all;
}

schedule::StageCosts TaskTimes::costs(const StageNeed& need) const {
  // One sum over contexts and replicas may leave a device a part of each.
  const Seconds terms = sums_once_ ? Seconds(0) : need.accumulation_of_terms;
  return {of(need.forward).value(), of(need.input_grad).value(), of(need.weight_grad).value(), terms.value()};
}

ExchangingTasks::ExchangingTasks(const StagedStep& step, const TaskTimes& tasks) : step_(step), tasks_(tasks) {
  const bool gathers = step.strategy.zero == 3 && step.strategy.overlap_gradients;
  const bool sums    = !step.is_mirrored();
  for (const StageNeed& need : step.demand.stages) {
    exchanges_.push_back(step.exchange.of_stage(need, sums));
    if (gathers) passes_.push_back(step.exchange.passes(need, sums, tasks.waits()));
  }
}

schedule::StageCosts ExchangingTasks::costs(size_t stage) const {
  const StageNeed& need      = step_.demand.stages[stage];
  schedule::StageCosts costs = tasks_.costs(need);
  // Every microbatch but the first takes this time to add its gradients to a sum of all. With ZeRO 2 and 3 replicas
  // exchange the gradients of each microbatch, except for terms of sums.
  if (step_.strategy.zero < 2 || step_.is_mirrored()) costs.accumulation = need.accumulation.value();
  if (!passes_.empty()) {
    const ReplicaExchange::Passes& least = passes_[stage];
    costs.forward                        = std::max(costs.forward, least.forward.value());
    // If a backward pass is not split, its computes of weight gradients may hide exchanges.
    const Seconds rest = least.whole - Seconds(costs.weight_grad + costs.accumulation);
    costs.input_grad   = std::max(costs.input_grad, std::min(least.input_grad, rest).value());
  }
  if (step_.strategy.overlap_gradients) return costs;
  const StageExchange& exchange = exchanges_[stage];
  costs.forward += exchange.forward.value();
  costs.input_grad += (exchange.backward + exchange.input_grad).value();
  costs.weight_grad += exchange.weight_grad.value();
  return costs;
}

}  // namespace foreflow::search
