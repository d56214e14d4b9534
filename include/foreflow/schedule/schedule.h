// Pipeline schedules: which microbatch each device works on, in which order. Pure combinatorics; no tensors, no bytes,
// and no time but the toy costs of `play`.
//
// Terms:
//   - virtual stages: the S consecutive pieces of the model. A microbatch runs forward through 0, 1, ..., S-1 and
//     backward through S-1, ..., 0;
//   - chunk: a virtual stage on its device, numbered from 0 within the device;
//   - pipe: one copy of the model's weights and the direction in which its stages follow each other over the devices.
//     Most schedules have one pipe; Chimera and DualPipe have two.
//
// Example: 2 devices with 2 chunks each, looped, have S = 4: device 0 holds stages 0 and 2, device 1 holds stages 1 and
// 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/expected.h"
#include "foreflow/base/registry.h"

namespace foreflow::schedule {

// The computation of a task; the labels are F, B, I and W. A backward pass consists of the input gradient, for which
// the previous stage waits, and the weight gradient, for which no other task waits. A schedule runs both as one task
// (B), or as two (I and W).
enum class Phase : uint8_t { forward, backward, input_grad, weight_grad };

struct Task {
  Phase phase;
  int microbatch;  // from 0 within its pipe; Plan::part gives its number within the batch
  int chunk = 0;   // of its device; with two pipes: 0 is the down pipe, 1 the up pipe
  // True when this task and the one before it run as one op: it starts when the inputs of both are available and
  // delivers the outputs of both at its end. DualPipe overlaps a forward and a backward this way.
  bool joined                         = false;
  auto operator<=>(const Task&) const = default;
};

// "F0", "B12"; with one prime for each chunk above 0: "F0'" is the forward of microbatch 0 in chunk 1, or in the up
// pipe.
std::string label(const Task& task);

// order[device]: the tasks of the device, first to last.
using Order = std::vector<std::vector<Task>>;

struct Size {
  int devices      = 1;  // P
  int microbatches = 1;  // K, of all pipes together
  int chunks       = 1;  // v, on each device; with two pipes 2, one of each pipe

  bool operator==(const Size&) const = default;
};

// How virtual stages are assigned to P devices.
enum class StageMapping : uint8_t {
  looped,    // chunk c of device d is stage c*P + d; with one chunk a device: stage d
  vee,       // two chunks, down the devices and up again: stages d and 2P-1-d
  mirrored,  // two pipes of P stages, each with its weights: stage d of the down pipe, stage P-1-d of the up pipe
};

constexpr int kAnyChunks = 0;

struct ScheduleDef {
  std::string_view name;
  std::string_view doc;
  StageMapping mapping = StageMapping::looped;
  int chunks           = 1;      // on each device; kAnyChunks: any number from 2, chosen by the user
  bool splits_backward = false;  // some backwards are split into input and weight gradient
  bool trains          = true;   // false: forwards only
  // Its published times rest on messages that travel beside computations. False: frameworks run it with sends that
  // wait, too.
  bool posts_sends = true;
  // Why the schedule does not exist at this size, in one sentence; empty: it exists. Null: it exists at every size.
  // Requires: sizes of at least 1 and the right number of chunks.
  std::string (*refuse)(const Size& size) = nullptr;
  // The tasks of every device. Each device runs
  //   1. every forward of its chunks exactly once;
  //   2. when the schedule trains, every backward exactly once: as one task, or as an input gradient and a later weight
  //      gradient.
  Order (*order)(const Size& size);
  // The largest number of chunk-microbatches whose activations `device` holds at once: the forward has begun and the
  // backward, or the weight gradient, has not finished. With one chunk per device these are microbatches. Schedules
  // without backwards never release them.
  int (*peak_live)(const Size& size, int device);
};

const Registry<ScheduleDef>& schedules();

int pipes(const ScheduleDef& schedule);
// Number of virtual stages of one pipe.
int stages(StageMapping mapping, const Size& size);
int stage_of(StageMapping mapping, const Size& size, int device, int chunk);

// The size of a schedule. `virtual_stages` is the number of chunks on a device; absent: what the schedule has, or 2
// where any number is possible. Refused, with an empty place, when
//   1. a number is below 1, or the number of tasks is unreasonably large;
//   2. the schedule does not support `virtual_stages`;
//   3. the schedule's own `refuse` says so.
Expected<Size> try_size(const ScheduleDef& schedule, int devices, int microbatches, std::optional<int> virtual_stages);
// As try_size, but throws the refusal at `where`.
Size checked_size(const ScheduleDef& schedule, int devices, int microbatches, std::optional<int> virtual_stages,
                  const std::string& where);

}  // namespace foreflow::schedule
