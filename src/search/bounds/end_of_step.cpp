#include "search/bounds/end_of_step.h"

#include <algorithm>
#include <utility>

#include "foreflow/base/nth.h"

namespace foreflow::search {
namespace {

using transform::StageNeed;

bool starts_backward(const schedule::Slot& slot) {
  return slot.task.phase == schedule::Phase::backward || slot.task.phase == schedule::Phase::input_grad;
}

// The end of the last task of the chunk that may compute gradients of weights.
Seconds last_gradient(const std::vector<schedule::Slot>& slots, int chunk) {
  Seconds end;
  for (const schedule::Slot& slot : slots) {
    if (slot.task.chunk == chunk && slot.task.phase != schedule::Phase::forward) end = Seconds(slot.end);
  }
  return end;
}

// The sums of the gradients that a task makes.
Seconds sums_of(schedule::Phase phase, const StageExchange& exchange) {
  switch (phase) {
    case schedule::Phase::backward: return exchange.whole;
    case schedule::Phase::input_grad: return exchange.input_grad;
    case schedule::Phase::weight_grad: return exchange.weight_grad;
    default: return Seconds(0);
  }
}

}  // namespace

EndOfStep::Rest EndOfStep::rest(size_t device) const {
  StageNeed all;
  for (int chunk = 0; chunk < step_.plan().size.chunks; ++chunk) {
    const StageNeed& need = step_.need_of(device, chunk);
    all.weights += need.weights;
    all.gradients += need.gradients + shared_on(device, chunk);
    all.update += need.update;
  }
  using enum collective::Kind;
  Rest rest{};
  const bool waits    = !strategy_.overlap_gradients;
  const bool mirrored = step_.is_mirrored();
  if (mirrored) rest.sums += step_.exchange.pair(device, step_.plan().order.size() - 1 - device, all.gradients);
  if (mirrored && waits) rest.sums += once(all.gradients);
  if (strategy_.zero == 0 && waits && !mirrored) rest.after += step_.exchange.all_reduce(all.gradients);
  if (strategy_.zero == 0 && !strategy_.offload) rest.after += all.update;
  if (strategy_.zero == 1 && waits && !mirrored) rest.before += step_.exchange.half(reduce_scatter, all.gradients);
  if (strategy_.zero == 1 || strategy_.zero == 2) rest.after += step_.exchange.half(all_gather, all.weights);
  return rest;
}

Seconds EndOfStep::beside(size_t device, const std::vector<schedule::Slot>& slots) const {
  if (!strategy_.overlap_gradients) return Seconds(0);
  Seconds gathers, early;
  for (const schedule::Slot& slot : slots) {
    const StageExchange& exchange = tasks_.exchange(step_.stage_of(device, slot.task.chunk));
    if (slot.task.phase == schedule::Phase::forward) gathers += exchange.forward;
    if (starts_backward(slot)) gathers += exchange.backward;
    early = std::max(early, 2 * exchange.largest_gather);
  }
  const Seconds gathered = std::max(Seconds(0), Seconds(slots.front().start) - early) + gathers;
  if (step_.is_mirrored()) return std::max(Seconds(slots.back().end), gathered) + once(gradients_of(device));
  return strategy_.zero < 2 ? of_all_microbatches(device, slots) : of_each_microbatch(device, slots, gathered);
}

// When the gradients of each microbatch are exchanged, after `begin`.
Seconds EndOfStep::of_each_microbatch(size_t device, const std::vector<schedule::Slot>& slots, Seconds begin) const {
  Seconds end = begin;
  for (const schedule::Slot& slot : slots) {
    const Seconds sums = sums_of(slot.task.phase, tasks_.exchange(step_.stage_of(device, slot.task.chunk)));
    if (sums > Seconds(0)) end = std::max(end, Seconds(slot.start)) + sums;
  }
  return end;
}

// When gradients are exchanged that all microbatches add to: those of a chunk not before its last backward pass.
Seconds EndOfStep::of_all_microbatches(size_t device, const std::vector<schedule::Slot>& slots) const {
  std::vector<std::pair<double, int>> starts;  // of the last backward pass of each chunk
  for (int chunk = 0; chunk < step_.plan().size.chunks; ++chunk) starts.emplace_back(0, chunk);
  for (const schedule::Slot& slot : slots) {
    if (starts_backward(slot)) nth(starts, slot.task.chunk).first = slot.start;
  }
  std::sort(starts.rbegin(), starts.rend());
  Seconds end;
  Bytes later;
  for (const auto& [start, chunk] : starts) {
    later += step_.need_of(device, chunk).gradients;
    end = std::max(end, Seconds(start) + once(later));
  }
  return end;
}

Seconds EndOfStep::shared(const schedule::Slots& slots) const {
  Seconds last;
  if (step_.is_mirrored()) return last;
  for (size_t device = 0; device < slots.size(); ++device) {
    for (int chunk = 0; chunk < step_.plan().size.chunks; ++chunk) {
      for (const auto& [other, bytes] : step_.need_of(device, chunk).shared) {
        const auto [partner, its_chunk] = step_.place_of(other);
        if (partner == device || bytes == Bytes(0)) continue;
        const Seconds ready  = std::max(last_gradient(slots[device], chunk), last_gradient(slots[partner], its_chunk));
        const Seconds summed = ready + step_.exchange.pair(device, partner, bytes) + once(bytes);
        last                 = std::max(last, strategy_.zero == 0 ? summed : summed + rest(device).after);
      }
    }
  }
  return last;
}

// The exchange of gradients that are summed over all microbatches.
Seconds EndOfStep::once(Bytes gradients) const {
  if (strategy_.zero == 0) return step_.exchange.all_reduce(gradients);
  return step_.exchange.half(collective::Kind::reduce_scatter, gradients);
}

// With two pipes: the gradients that the stage of the chunk shares with a later one on the device.
Bytes EndOfStep::shared_on(size_t device, int chunk) const {
  Bytes all;
  for (int later = 0; step_.is_mirrored() && later < step_.plan().size.chunks; ++later) {
    const auto& shared = step_.need_of(device, chunk).shared;
    const auto found   = shared.find(step_.stage_of(device, later));
    if (found != shared.end() && step_.stage_of(device, later) > step_.stage_of(device, chunk)) all += found->second;
  }
  return all;
}

Bytes EndOfStep::gradients_of(size_t device) const {
  Bytes gradients;
  for (int chunk = 0; chunk < step_.plan().size.chunks; ++chunk) gradients += step_.need_of(device, chunk).gradients;
  return gradients;
}

}  // namespace foreflow::search
