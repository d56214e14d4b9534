#include "schedule/arrivals.h"

#include <algorithm>

namespace foreflow::schedule {

Arrivals::Arrivals(const Plan& plan, double hop)
    : hop_(hop), chunks_(static_cast<size_t>(plan.size.chunks)), count_(static_cast<size_t>(plan.stages())) {
  const Size& size = plan.size;
  const std::vector<std::optional<double>> never(static_cast<size_t>(size.microbatches));
  stages_.assign(static_cast<size_t>(plan.stages()) * static_cast<size_t>(plan.pipes()), {0, never, never});
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
  const size_t here  = row(device, task.chunk);
  const auto m       = static_cast<size_t>(task.microbatch);
  const size_t stage = here % count_;
  if (task.phase == Phase::weight_grad) return stages_[here].backward[m];
  if (task.phase == Phase::forward)
    return stage == 0 ? 0 : arrival(stages_[here - 1].forward[m], stages_[here - 1].device, device);
  const auto activation = stages_[here].forward[m];
  if (!activation || stage + 1 == count_) return activation;
  const auto gradient = arrival(stages_[here + 1].backward[m], stages_[here + 1].device, device);
  return gradient ? std::optional(std::max(*activation, *gradient)) : gradient;
}

void Arrivals::output(size_t device, const Task& task, double time) {
  Stage& stage = stages_[row(device, task.chunk)];
  const auto m = static_cast<size_t>(task.microbatch);
  if (task.phase == Phase::forward) stage.forward[m] = time;
  if (task.phase == Phase::backward || task.phase == Phase::input_grad) stage.backward[m] = time;
}

std::optional<double> Arrivals::arrival(const std::optional<double>& sent, size_t from, size_t to) const {
  return sent && from != to ? *sent + hop_ : sent;
}

}  // namespace foreflow::schedule
