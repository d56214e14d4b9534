#include <fmt/core.h>

#include "schedule/alternate.h"

namespace foreflow::schedule::definitions::interleaved_1f1b {
namespace {

// Interleaved 1F1B (Narayanan et al., 2021, as in Megatron-LM): a device has v chunks, P stages apart, and takes P
// microbatches through its first chunk, then these P through its second, and so on, backwards through the last chunk
// first. The bubble is a v-th of that of 1F1B, for v times the messages. Backward = 2 forward; a prime is chunk 1.
//
//   device 0 | F0- F1- F0' F1' ... ... B0'---- ... B1'---- B0----- B1-----
//   device 1 | ... F0- F1- F0' B0'---- F1' B1'---- B0----- B1-----
int chunk_of(const Size& size, int turn) { return turn / size.devices % size.chunks; }

int microbatch_of(const Size& size, int turn) {
  return turn / (size.devices * size.chunks) * size.devices + turn % size.devices;
}

int warm_up(const Size& size, int device) { return 2 * (size.devices - 1 - device) + (size.chunks - 1) * size.devices; }

Order order(const Size& size) {
  Order order;
  for (int device = 0; device < size.devices; ++device) {
    order.push_back(alternate(size.microbatches * size.chunks, warm_up(size, device)));
    for (Task& task : order.back()) {
      const int turn  = task.microbatch;
      const int chunk = chunk_of(size, turn);
      task.microbatch = microbatch_of(size, turn);
      task.chunk      = task.phase == Phase::forward ? chunk : size.chunks - 1 - chunk;
    }
  }
  return order;
}

int peak_live(const Size& size, int device) {
  return alternate_peak(size.microbatches * size.chunks, warm_up(size, device));
}

std::string refuse(const Size& size) {
  const int rest = size.microbatches % size.devices;
  if (rest == 0) return "";
  const int below = size.microbatches - rest, above = below + size.devices;
  return fmt::format(
      "interleaved_1f1b runs microbatches in groups of as many as stages, and {} is no multiple of {}; use {}",
      size.microbatches, size.devices, below == 0 ? std::to_string(above) : fmt::format("{} or {}", below, above));
}

}  // namespace

ScheduleDef row() {
  return {.name      = "interleaved_1f1b",
          .doc       = "1f1b over several parts of the model a device; a smaller bubble for more messages",
          .chunks    = kAnyChunks,
          .refuse    = refuse,
          .order     = order,
          .peak_live = peak_live};
}

}  // namespace foreflow::schedule::definitions::interleaved_1f1b
