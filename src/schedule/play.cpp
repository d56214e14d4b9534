#include "foreflow/schedule/play.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace foreflow::schedule {
namespace {

// When the outputs of each forward and of each input gradient (or whole backward) of one chunk are there, by
// microbatch; empty: not yet.
struct Outputs {
  std::vector<std::optional<double>> forward, backward;
};

// Plays every device as far as its inputs allow, again and again until nothing moves: each task is visited once, and a
// device is visited again only after a neighbour has moved. Stages that follow each other are on neighbours, the last
// device being one of the first.
class Player {
 public:
  Player(const Plan& plan, const Costs& costs) : plan_(plan), hop_(costs.hop), slots_(plan.order.size()) {
    for (const Phase phase : {Phase::forward, Phase::backward, Phase::input_grad, Phase::weight_grad})
      times_.push_back(task_time(plan, costs, phase));
    const std::vector<std::optional<double>> never(static_cast<size_t>(plan.size.microbatches));
    outputs_.assign(static_cast<size_t>(plan.stages() * plan.pipes()), {never, never});
    for (size_t device = 0; device < plan.order.size(); ++device) place(device);
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
  // Checks the tasks of a device, and notes where its stages are.
  void place(size_t device) {
    FOREFLOW_CHECK(device < static_cast<size_t>(plan_.size.devices), "as many devices as the size says");
    for (const Task& task : plan_.order[device]) {
      FOREFLOW_CHECK(task.microbatch >= 0 && task.microbatch < plan_.size.microbatches, "microbatches count from 0");
      FOREFLOW_CHECK(task.chunk >= 0 && task.chunk < plan_.size.chunks, "chunks count from 0");
    }
    device_of_.resize(outputs_.size());
    for (int chunk = 0; chunk < plan_.size.chunks; ++chunk) device_of_[row(device, chunk)] = device;
  }

  // Of `outputs_`: the stages of the down pipe, then those of the up pipe.
  size_t row(size_t device, int chunk) const {
    const int stage = plan_.stage_of(static_cast<int>(device), chunk);
    return static_cast<size_t>(plan_.pipe_of(chunk) * plan_.stages() + stage);
  }

  // Whether at least one task of the device could run.
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
    double start       = done.empty() ? 0 : done.back().end;
    for (size_t i = begin; i < end; ++i) {
      const auto ready = inputs_ready(device, order[i]);
      if (!ready) return false;
      start = std::max(start, *ready);
    }
    for (size_t i = begin; i < end; ++i) {
      const double stop = start + times_[static_cast<size_t>(order[i].phase)];
      done.push_back({order[i], start, stop});
      start = stop;
    }
    for (size_t i = begin; i < end; ++i) {
      Outputs& outputs = outputs_[row(device, order[i].chunk)];
      const auto m     = static_cast<size_t>(order[i].microbatch);
      if (order[i].phase == Phase::forward) outputs.forward[m] = start;
      if (order[i].phase == Phase::backward || order[i].phase == Phase::input_grad) outputs.backward[m] = start;
    }
    return true;
  }

  // When the inputs of the task are on its device; empty while one of them is not even computed.
  std::optional<double> inputs_ready(size_t device, const Task& task) const {
    const size_t here = row(device, task.chunk);
    const auto m      = static_cast<size_t>(task.microbatch);
    const int stage   = plan_.stage_of(static_cast<int>(device), task.chunk);
    if (task.phase == Phase::weight_grad) return outputs_[here].backward[m];
    if (task.phase == Phase::forward) {
      return stage == 0 ? 0 : arrival(outputs_[here - 1].forward[m], device_of_[here - 1], device);
    }
    const auto activation = outputs_[here].forward[m];
    if (!activation || stage + 1 == plan_.stages()) return activation;
    const auto gradient = arrival(outputs_[here + 1].backward[m], device_of_[here + 1], device);
    if (!gradient) return gradient;
    return std::max(*activation, *gradient);
  }

  std::optional<double> arrival(std::optional<double> sent, size_t from, size_t to) const {
    return sent && from != to ? *sent + hop_ : sent;
  }

  const Plan& plan_;
  const double hop_;
  std::vector<double> times_;  // of a task, by phase
  std::vector<Outputs> outputs_;
  std::vector<size_t> device_of_;  // of each row of `outputs_`
  Slots slots_;
};

}  // namespace

Costs whole_costs(double forward, double backward, double hop) { return {forward, backward / 2, backward / 2, hop}; }

void check_costs(const Costs& costs, const std::string& where) {
  const auto refuse = [&](const char* name, double value, const char* right) {
    throw Error(where, fmt::format("a {} cost of {}; it is a finite number {}", name, value, right));
  };
  const auto check_work = [&](const char* name, double value) {
    if (!std::isfinite(value) || value <= 0) refuse(name, value, "above 0");
  };
  check_work("forward", costs.forward);
  check_work("backward", costs.backward());
  check_work("input gradient", costs.input_grad);
  check_work("weight gradient", costs.weight_grad);
  if (!std::isfinite(costs.hop) || costs.hop < 0) refuse("hop", costs.hop, "of 0 or more");
}

double task_time(const Plan& plan, const Costs& costs, Phase phase) {
  const int share = plan.size.chunks / plan.pipes();
  switch (phase) {
    case Phase::forward:
      return costs.forward / share;
    case Phase::backward:
      return costs.backward() / share;
    case Phase::input_grad:
      return costs.input_grad / share;
    case Phase::weight_grad:
      return costs.weight_grad / share;
  }
  FOREFLOW_CHECK(false, "a phase that is none");
}

Slots play(const Plan& plan, const Costs& costs) { return Player(plan, costs).run(); }

}  // namespace foreflow::schedule
