#include "schedule/arrivals.h"

#include <algorithm>

namespace foreflow::schedule {

namespace {

// When what was sent at this time is on device `to`; below 0 if it has not been sent.
double arrival(double sent, size_t from, size_t to, double hop) { return sent >= 0 && from != to ? sent + hop : sent; }

}  // namespace

Arrivals::Arrivals(const Plan& plan, const Costs& costs) : chunks_(static_cast<size_t>(plan.size.chunks)) {
  const Size& size = plan.size;
  const std::vector<double> never(static_cast<size_t>(size.microbatches), -1);
  const auto count = static_cast<size_t>(plan.stages());
  stages_.assign(count * static_cast<size_t>(plan.pipes()), {0, false, false, never, never, costs.hop, costs.hop});
  for (size_t first = 0; first < stages_.size(); first += count) {
    stages_[first].is_first            = true;
    stages_[first + count - 1].is_last = true;
  }
  for (size_t i = 0; !costs.stages.empty() && i < stages_.size(); ++i) {
    const StageCosts& own = costs.stages[i % count];
    stages_[i].from_previous += own.from_previous;
    stages_[i].from_next += own.from_next;
  }
  for (int device = 0; device < size.devices; ++device) {
    for (int chunk = 0; chunk < size.chunks; ++chunk)
      rows_.push_back(static_cast<size_t>(plan.pipe_of(chunk) * plan.stages() + plan.stage_of(device, chunk)));
  }
  for (size_t device = 0; device < plan.order.size(); ++device) {
    FOREFLOW_CHECK(device < static_cast<size_t>(size.devices), "as many devices as the size says");
    for (int chunk = 0; chunk < size.chunks; ++chunk) stages_[row(device, chunk)].device = device;
    for (const Task& task : plan.order[device]) {
      FOREFLOW_CHECK(task.microbatch >= 0 && task.microbatch < size.microbatches, "microbatches count from 0");
      FOREFLOW_CHECK(task.chunk >= 0 && task.chunk < size.chunks, "chunks count from 0");
    }
  }
}

std::optional<double> Arrivals::inputs(size_t device, const Task& task) const {
  const double time = inputs_of(device, task);
  return time < 0 ? std::nullopt : std::optional(time);
}

double Arrivals::inputs_of(size_t device, const Task& task) const {
  const size_t here  = row(device, task.chunk);
  const Stage& stage = stages_[here];
  const auto m       = static_cast<size_t>(task.microbatch);
  if (task.phase == Phase::weight_grad) return stage.backward[m];
  if (task.phase == Phase::forward)
    return stage.is_first
               ? 0
               : arrival(stages_[here - 1].forward[m], stages_[here - 1].device, device, stage.from_previous);
  const double activation = stage.forward[m];
  if (activation < 0 || stage.is_last) return activation;
  const Stage& next     = stages_[here + 1];
  const double gradient = arrival(next.backward[m], next.device, device, stage.from_next);
  return gradient < 0 ? gradient : std::max(activation, gradient);
}

void Arrivals::output(size_t device, const Task& task, double time) {
  Stage& stage = stages_[row(device, task.chunk)];
  const auto m = static_cast<size_t>(task.microbatch);
  if (task.phase == Phase::forward) stage.forward[m] = time;
  if (task.phase == Phase::backward || task.phase == Phase::input_grad) stage.backward[m] = time;
}

}  // namespace foreflow::schedule
