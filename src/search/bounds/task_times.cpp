#include "search/bounds/task_times.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "search/bounds/message_waits.h"

namespace foreflow::search {

using transform::StageNeed;

namespace {

// The waits where the computes of all members take `factor` times as long: products beside messages do, too.
std::vector<Seconds> slowed_waits(const StagedStep& step, double factor) {
  std::vector<scenario::StageMessage> messages = step.demand.messages;
  for (scenario::StageMessage& message : messages) {
    if (message.product) message.product = factor * *message.product;
    for (Seconds& chunk : message.chunks) chunk = factor * chunk;
    if (!message.gathered) continue;
    for (Seconds* time : {&message.gathered->readers, &message.gathered->rows, &message.gathered->late})
      *time = factor * *time;
  }
  const scenario::StageDemand demand{step.demand.stages, messages};
  return message_waits(StagedStep(step.scenario, demand, step.known, step.shapes, step.where));
}

// The steps of a pass, where computes take `factor` times as long: those of its weight gradients, or the others.
Seconds time_of(const std::vector<StageNeed::Step>& steps, bool late, double factor,
                const std::vector<Seconds>& waits) {
  Seconds all;
  for (const StageNeed::Step& step : steps) {
    if (step.is_late != late) continue;
    if (step.kind == StageNeed::Step::Kind::compute) all += factor * step.time;
    if (step.kind == StageNeed::Step::Kind::message) all += nth(waits, step.number);
  }
  return all;
}

}  // namespace

TaskTimes::TaskTimes(const StagedStep& step, const std::vector<double>& slow)
    : step_(step), waits_(message_waits(step)), sums_once_(step.strategy.sums_once()), slow_(slow) {
  for (const double factor : slow) {
    if (!waits_of_slow_.contains(factor)) waits_of_slow_[factor] = slowed_waits(step, factor);
  }
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

// Those of the device that has least to do: which one of a group is slow is not known here. Where the devices are not
// told apart, nothing is known of a single one.
schedule::StageCosts TaskTimes::costs_of_slow(const StageNeed& need) const {
  const double factor               = slow_[static_cast<size_t>(&need - step_.demand.stages.data())];
  const std::vector<Seconds>& waits = waits_of_slow_.at(factor);
  schedule::StageCosts least{0, 0, 0};
  for (size_t i = 0; i < need.trained.size(); ++i) {
    const StageNeed::Trained& device = need.trained[i];
    const schedule::StageCosts costs{time_of(device.forward, false, factor, waits).value(),
                                     time_of(device.backward, false, factor, waits).value(),
                                     time_of(device.backward, true, factor, waits).value()};
    least.forward     = i == 0 ? costs.forward : std::min(least.forward, costs.forward);
    least.input_grad  = i == 0 ? costs.input_grad : std::min(least.input_grad, costs.input_grad);
    least.weight_grad = i == 0 ? costs.weight_grad : std::min(least.weight_grad, costs.weight_grad);
  }
  return least;
}

schedule::StageCosts TaskTimes::costs(const StageNeed& need) const {
  if (!slow_.empty()) return costs_of_slow(need);
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
