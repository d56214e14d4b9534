#include "foreflow/schedule/play.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "foreflow/base/nth.h"
#include "schedule/arrivals.h"

namespace foreflow::schedule {
namespace {

// Plays every device as far as its inputs allow, again and again until nothing moves: each task is visited once, and a
// device is visited again only after a neighbour has moved. Stages that follow each other are on neighbours, the last
// device being one of the first.
class Player {
 public:
  Player(const Plan& plan, const Costs& costs)
      : plan_(plan),
        arrivals_(plan, costs.hop),
        slots_(plan.order.size()),
        has_gradients_(plan.order.size() * static_cast<size_t>(plan.size.chunks)) {
    for (size_t device = 0; device < plan.order.size(); ++device) {
      slots_[device].reserve(plan.order[device].size());
      for (int chunk = 0; chunk < plan.size.chunks; ++chunk) {
        for (const Phase phase : kPhases) times_.push_back(task_time(plan, costs, device, {phase, 0, chunk}));
        const auto stage = static_cast<size_t>(plan.stage_of(static_cast<int>(device), chunk));
        accumulation_.push_back(costs.stages.empty() ? 0 : costs.stages[stage].accumulation);
      }
    }
  }

  Slots run() && {
    const size_t devices = plan_.order.size();
    std::vector<size_t> waiting;
    for (size_t device = devices; device-- > 0;) waiting.push_back(device);
    while (!waiting.empty()) {
      const size_t device = waiting.back();
      waiting.pop_back();
      if (!advance(device)) continue;
      waiting.push_back((device + devices - 1) % devices);
      waiting.push_back((device + 1) % devices);
    }
    for (size_t device = 0; device < devices; ++device) {
      FOREFLOW_CHECK(
          slots_[device].size() == plan_.order[device].size(),
          fmt::format("device {} never gets to {}", device, label(plan_.order[device][slots_[device].size()])));
    }
    return std::move(slots_);
  }

 private:
  // Runs the tasks of a device that are ready; true when at least one ran.
  bool advance(size_t device) {
    const auto& order   = plan_.order[device];
    auto& done          = slots_[device];
    const size_t before = done.size();
    while (done.size() < order.size()) {
      size_t end = done.size() + 1;
      while (end < order.size() && order[end].joined) ++end;
      if (!run_cell(device, end)) break;
    }
    return done.size() > before;
  }

  // Runs the tasks up to `end` as one op, if all their inputs are there.
  bool run_cell(size_t device, size_t end) {
    const auto& order  = plan_.order[device];
    auto& done         = slots_[device];
    const size_t begin = done.size();
    double time        = done.empty() ? 0 : done.back().end;
    for (size_t i = begin; i < end; ++i) {
      const auto ready = arrivals_.inputs(device, order[i]);
      if (!ready) return false;
      time = std::max(time, *ready);
    }
    for (size_t i = begin; i < end; ++i) {
      const double start = time;
      time += time_of(device, order[i]);
      done.push_back({order[i], start, time});
    }
    for (size_t i = begin; i < end; ++i) arrivals_.output(device, order[i], time);
    return true;
  }

  static constexpr std::array kPhases = {Phase::forward, Phase::backward, Phase::input_grad, Phase::weight_grad};

  // Requires: the device has run the tasks before it.
  double time_of(size_t device, const Task& task) {
    const size_t stage = device * static_cast<size_t>(plan_.size.chunks) + static_cast<size_t>(task.chunk);
    const double time  = times_[stage * kPhases.size() + static_cast<size_t>(task.phase)];
    if (task.phase != Phase::backward && task.phase != Phase::weight_grad) return time;
    const bool adds       = has_gradients_[stage];
    has_gradients_[stage] = true;
    return adds ? time + accumulation_[stage] : time;
  }

  const Plan& plan_;
  Arrivals arrivals_;
  Slots slots_;
  std::vector<bool> has_gradients_;   // of each chunk of each device
  std::vector<double> times_;         // of the tasks of each phase, likewise
  std::vector<double> accumulation_;  // likewise
};

}  // namespace

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

Slots play(const Plan& plan, const Costs& costs) { return Player(plan, costs).run(); }

}  // namespace foreflow::schedule
