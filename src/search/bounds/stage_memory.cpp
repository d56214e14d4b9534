#include "search/bounds/stage_memory.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::search {
namespace {

using transform::StageNeed;

class StageMemory {
 public:
  StageMemory(const scenario::Strategy& strategy, const scenario::StageDemand& demand, const schedule::Plan& plan)
      : strategy_(strategy), demand_(demand), plan_(plan), ways_(strategy.most_copies()) {}

  Bytes most() const {
    Bytes most;
    for (size_t device = 0; device < plan_.order.size(); ++device) most = std::max(most, peak(device));
    return most;
  }

 private:
  Bytes share(Bytes bytes, int from_zero) const { return strategy_.zero >= from_zero ? bytes / ways_ : bytes; }

  // Returns the bytes of the gradients of a microbatch that are kept until the last microbatch. Two pipes keep whole
  // gradients for each other. With sequence parallelism, what messages sum may be kept in other forms.
  Bytes sums(const StageNeed& need) const {
    Bytes computed, later;
    for (const StageNeed::Trained& device : need.trained) {
      computed += device.share * device.summed;
      if (strategy_.microbatches > 1) later += device.share * device.summed_later;
    }
    const Bytes parted = strategy_.sequence_parallel ? computed : std::max(computed, need.gradients);
    if (plan_.pipes() > 1) return later + parted;
    return (strategy_.sums_once() ? share(later, 2) : later) + share(parted, 2);
  }

  Bytes peak(size_t device) const {
    Bytes weights;
    for (int chunk = 0; chunk < plan_.size.chunks; ++chunk) {
      const StageNeed& need = need_of(device, chunk);
      weights += share(need.weights, 3) + share(need.states, 1);
    }
    Bytes live, gradients, most;
    std::vector<bool> summed(static_cast<size_t>(plan_.size.chunks));
    const std::vector<schedule::Task>& tasks = plan_.order[device];
    // Tasks that run as one follow each other, too.
    for (const schedule::Task& task : tasks) {
      const StageNeed& need = need_of(device, task.chunk);
      const Bytes others    = live + gradients;
      most                  = std::max(most, others + within(need, task.phase));
      live += left(need, task.phase);
      most             = std::max(most, live + gradients);
      const bool makes = task.phase == schedule::Phase::weight_grad ||
                         (task.phase == schedule::Phase::backward && !strategy_.delay_weight_gradients);
      if (makes && !nth(summed, task.chunk)) {
        nth(summed, task.chunk) = true;
        gradients += sums(need);
      }
    }
    most = std::max(most, live + gradients);
    return weights + most;
  }

  // Offloaded values count as 0 bytes, because they may be fetched for each gradient anew.
  Bytes held(const StageNeed& need) const { return strategy_.offload ? Bytes(0) : need.held; }
  Bytes held_for_weights(const StageNeed& need) const { return strategy_.offload ? Bytes(0) : need.held_for_weights; }

  // Returns the most memory that a task needs at some time, less the memory in use when it began.
  Bytes within(const StageNeed& need, schedule::Phase phase) const {
    if (phase == schedule::Phase::weight_grad) return Bytes(0);
    const StageNeed::Peaks& peaks = strategy_.tensor_chunks > 1 ? need.peaks_in_parts : need.peaks;
    if (phase == schedule::Phase::forward) return strategy_.offload ? Bytes(0) : peaks.forward;
    const bool whole = phase == schedule::Phase::backward;
    const Bytes peak = whole ? peaks.backward : peaks.input_grad;
    return std::max(peaks.working_set, strategy_.offload ? Bytes(0) : peak) - held(need);
  }
  // Returns the memory in use when the task has ended, less that when it began.
  Bytes left(const StageNeed& need, schedule::Phase phase) const {
    if (phase == schedule::Phase::forward) return held(need);
    if (phase == schedule::Phase::weight_grad) return -1 * held_for_weights(need);
    return (phase == schedule::Phase::input_grad ? held_for_weights(need) : Bytes(0)) - held(need);
  }

  const StageNeed& need_of(size_t device, int chunk) const {
    return nth(demand_.stages, plan_.stage_of(static_cast<int>(device), chunk));
  }

  const scenario::Strategy& strategy_;
  const scenario::StageDemand& demand_;
  const schedule::Plan& plan_;
  const int ways_;  // the parts into which ZeRO splits, at most
};

}  // namespace

Bytes stage_memory(const scenario::Strategy& strategy, const scenario::StageDemand& demand,
                   const schedule::Plan& plan) {
  return StageMemory(strategy, demand, plan).most();
}

}  // namespace foreflow::search
