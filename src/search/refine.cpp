#include "search/refine.h"

#include <algorithm>

#include "foreflow/schedule/play.h"

namespace foreflow::search {
namespace {

using scenario::Scenario;
using scenario::StageDemand;
using transform::StageNeed;

// The plan without cells that run as one: a task waits for its own inputs only.
schedule::Plan loosened(schedule::Plan plan) {
  for (auto& tasks : plan.order) {
    for (schedule::Task& task : tasks) task.joined = false;
  }
  return plan;
}

// How the replicas exchange gradients and weights.
class Exchange {
 public:
  Exchange(const Scenario& scenario, GroupShapes& shapes, const Arrangement& where)
      : scenario_(scenario),
        shapes_(shapes),
        where_(where),
        ways_(scenario.strategy.dp / scenario.strategy.replicas_sharing()),
        step_(scenario.strategy.devices() / ways_) {
    for (int replica = 0; replica < ways_; ++replica) ranks_.push_back(replica * step_);
  }

  int ways() const { return ways_; }

  Seconds all_reduce(Bytes bytes) const {
    if (ways_ == 1 || bytes == Bytes(0)) return Seconds(0);
    return shapes_.all_reduce(scenario_, where_, bytes, {ranks_, 1, step_});
  }
  // A reduce-scatter or an all-gather; 0 where a formula of the cost model gives its time.
  Seconds half(collective::Kind kind, Bytes bytes) const {
    if (ways_ == 1 || bytes == Bytes(0)) return Seconds(0);
    return shapes_.half(scenario_, where_, kind, bytes, {ranks_, 1, step_});
  }

 private:
  const Scenario& scenario_;
  GroupShapes& shapes_;
  const Arrangement& where_;
  const int ways_, step_;
  std::vector<int> ranks_;
};

class Composition {
 public:
  Composition(const Scenario& scenario, const StageDemand& demand, GroupShapes& shapes)
      : strategy_(scenario.strategy),
        demand_(demand),
        where_(shapes.arrangement(scenario)),
        exchange_(scenario, shapes, where_),
        plan_(loosened(schedule::plan(*strategy_.schedule, strategy_.schedule_size))) {
    const int group = strategy_.devices() / strategy_.pp / exchange_.ways();
    for (const scenario::StageMessage& message : demand.messages) {
      Seconds time = message.formula.value_or(Seconds(0));
      if (message.network) time = shapes.alone(where_, *message.network, group);
      // The mean over the devices of the group: those that are not members do something else.
      const double share = static_cast<double>(message.ranks) / group;
      messages_.push_back(strategy_.tensor_chunks > 1 ? Seconds(0) : share * time);
    }
  }

  Bound bound() const { return {kRounding * time(), kRounding * memory()}; }

 private:
  // True where a device's last task completes the gradients of all that it has.
  bool plain() const { return plan_.size.chunks == 1 && !strategy_.schedule->splits_backward; }

  Seconds task(const StageNeed::Task& need) const {
    Seconds all = need.compute;
    for (size_t m = 0; m < need.messages.size(); ++m) all += static_cast<double>(need.messages[m]) * messages_[m];
    return all;
  }

  // Whether every microbatch but the first adds its gradients to a sum of all, and there are many.
  bool accumulates() const { return strategy_.zero < 2 && strategy_.microbatches > 2 * strategy_.pp; }

  // With ZeRO, without overlap, tasks wait for the exchange of what is sharded.
  schedule::StageCosts costs(const StageNeed& need) const {
    using enum collective::Kind;
    schedule::StageCosts costs{task(need.forward).value(), task(need.input_grad).value(),
                               task(need.weight_grad).value()};
    if (accumulates()) costs.weight_grad += need.accumulation.value();
    // Two pipes add their gradients to each other before they are exchanged.
    if (strategy_.overlap_gradients || plan_.pipes() > 1) return costs;
    if (strategy_.zero >= 2) costs.weight_grad += exchange_.half(reduce_scatter, need.gradients).value();
    if (strategy_.zero == 3) costs.forward += exchange_.half(all_gather, need.weights).value();
    return costs;
  }

  // What a device does when it has done its tasks, and what may have been done between them.
  struct Rest {
    Seconds before, after;
  };
  Rest rest(size_t device) const {
    StageNeed all;
    for (int chunk = 0; chunk < plan_.size.chunks; ++chunk) {
      const StageNeed& need = need_of(device, chunk);
      all.weights += need.weights;
      all.gradients += need.gradients;
      all.update += need.update;
    }
    using enum collective::Kind;
    Rest rest{};
    const bool waits = !strategy_.overlap_gradients;
    if (strategy_.zero == 0 && waits) rest.after += exchange_.all_reduce(all.gradients);
    if (strategy_.zero == 0 && !strategy_.offload) rest.after += all.update;
    if (strategy_.zero == 1 && waits) rest.before += exchange_.half(reduce_scatter, all.gradients);
    if (strategy_.zero == 1 || strategy_.zero == 2) rest.after += exchange_.half(all_gather, all.weights);
    return rest;
  }

  const StageNeed& need_of(size_t device, int chunk) const {
    return demand_.stages[static_cast<size_t>(plan_.stage_of(static_cast<int>(device), chunk))];
  }

  Seconds time() const {
    schedule::Costs costs;
    for (const StageNeed& need : demand_.stages) costs.stages.push_back(this->costs(need));
    const schedule::Slots slots = schedule::play(plan_, costs);
    // The first microbatches add nothing: no path through the schedule has more of them than one for each stage and
    // pipe.
    Seconds first(0);
    for (const StageNeed& need : demand_.stages) first += plan_.pipes() * need.accumulation;
    Seconds last(0);
    for (size_t device = 0; device < slots.size(); ++device) {
      if (slots[device].empty()) continue;
      double busy = 0;
      for (const schedule::Slot& slot : slots[device]) busy += slot.end - slot.start;
      const Rest rest = this->rest(device);
      // Exchanges between the tasks may fill gaps.
      const Seconds filled(slots[device].front().start + busy + rest.before.value());
      const Seconds end(slots[device].back().end + (plain() ? rest.before.value() : 0));
      last = std::max(last, std::max(filled, end) + rest.after);
    }
    return accumulates() ? last - first : last;
  }

  // The peak of a device at the ends of its forward tasks, and within its backward tasks.
  Bytes memory() const {
    Bytes most;
    for (size_t device = 0; device < plan_.order.size(); ++device) most = std::max(most, peak(device));
    return most;
  }

  Bytes share(Bytes bytes, int from_zero) const {
    return strategy_.zero >= from_zero ? bytes / exchange_.ways() : bytes;
  }

  // What is kept of the gradients of a microbatch until the last one. With sequence parallelism, sums over the ranks
  // may be kept in other forms.
  Bytes sums(const StageNeed& need) const { return strategy_.sequence_parallel ? Bytes(0) : share(need.gradients, 2); }

  Bytes peak(size_t device) const {
    Bytes weights;
    for (int chunk = 0; chunk < plan_.size.chunks; ++chunk) {
      const StageNeed& need = need_of(device, chunk);
      weights += share(need.weights, 3) + share(need.states, 1);
    }
    Bytes live, gradients, most;
    std::vector<bool> summed(static_cast<size_t>(plan_.size.chunks));
    for (const schedule::Task& task : plan_.order[device]) {
      const StageNeed& need = need_of(device, task.chunk);
      const Bytes held      = strategy_.offload ? Bytes(0) : need.held;
      const bool weights    = task.phase == schedule::Phase::weight_grad;
      if (task.phase == schedule::Phase::forward) live += held;
      if (task.phase == schedule::Phase::backward || task.phase == schedule::Phase::input_grad) {
        live -= held;
        most = std::max(most, live + gradients + need.working_set);
      }
      if (task.phase == schedule::Phase::input_grad) live += need.held_for_weights;
      most = std::max(most, live + gradients);
      if (weights) live -= need.held_for_weights;
      if ((weights || task.phase == schedule::Phase::backward) && !summed[static_cast<size_t>(task.chunk)]) {
        summed[static_cast<size_t>(task.chunk)] = true;
        gradients += sums(need);
      }
    }
    most = std::max(most, live + gradients);
    return weights + most;
  }

  const scenario::Strategy& strategy_;
  const StageDemand& demand_;
  const Arrangement& where_;
  const Exchange exchange_;
  const schedule::Plan plan_;
  std::vector<Seconds> messages_;  // times, as StageDemand::messages
};

}  // namespace

Bound Refiner::refine(const Scenario& scenario) {
  if (scenario.disturbances) return {};  // they may make devices and links faster
  const auto program = predictor_.sequential(scenario);
  if (!program) return {};
  const auto demand = demands_.of(scenario, **program);
  if (!demand) return {};
  return Composition(scenario, *demand, shapes_).bound();
}

std::string print(const std::vector<Bound>& bounds) {
  Json all = Json::array();
  for (const Bound& bound : bounds) all.push(Json::Array{bound.time.value(), bound.memory.value()});
  return all.dump_compact();
}

std::vector<Bound> read_bounds(const std::string& text) {
  const Json json = parse_json(text, "bounds");
  std::vector<Bound> bounds;
  for (const JsonView& one : JsonView(json, "bounds").items()) {
    const auto items = one.items();
    bounds.push_back({Seconds(items[0].as_number()), Bytes(items[1].as_number())});
  }
  return bounds;
}

}  // namespace foreflow::search
