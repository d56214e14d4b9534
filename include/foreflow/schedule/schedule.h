// Pipeline schedules: which microbatch each device works on, in which order. Pure combinatorics; no tensors, no bytes,
// and no time but the toy costs of `play`.
//
// Words. A model is cut into virtual stages 0..S-1; a microbatch runs forward through 0, 1, ... and backward through
// S-1, S-2, ... A device holds one or more chunks, each of which is one virtual stage. A pipe is one copy of the
// model's weights with the direction in which its stages lie on the devices; most schedules have one pipe, some two.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/expected.h"
#include "foreflow/base/registry.h"

namespace foreflow::schedule {

// Labels F, B, I, W. A backward is the input gradient, which the stage before waits for, and the weight gradient, which
// nobody waits for; a schedule runs both as one task, or each as a task of its own.
enum class Phase : uint8_t { forward, backward, input_grad, weight_grad };

struct Task {
  Phase phase;
  int microbatch;  // 0.. within its pipe; `Plan::part` is its number in the batch
  int chunk = 0;   // of its device; where there are two pipes: 0 is the down pipe, 1 the up pipe
  // One cell with the task before it: the two run as one op, which begins when it has the inputs of both and hands on
  // the outputs of both at its end (DualPipe's overlapped forward and backward).
  bool joined                         = false;
  auto operator<=>(const Task&) const = default;
};

// "F0", "B12"; a prime for each chunk above 0: "F0'" is the first microbatch of chunk 1, or of the up pipe.
std::string label(const Task& task);

// order[device] = the tasks of that device, first to last.
using Order = std::vector<std::vector<Task>>;

struct Size {
  int devices      = 1;  // P
  int microbatches = 1;  // K, of all pipes together
  int chunks       = 1;  // on a device, v; with two pipes 2, one of each
};

// Where virtual stage s of P devices lies.
enum class Placement : uint8_t {
  looped,    // chunk c of device d is stage c*P + d; with one chunk a device: stage d
  vee,       // two chunks, down the devices and up again: stages d and 2P-1-d
  mirrored,  // two pipes of P stages, each with its weights: stage d of the down pipe, stage P-1-d of the up pipe
};

constexpr int kAnyChunks = 0;

struct ScheduleDef {
  std::string_view name;
  std::string_view doc;
  Placement placement  = Placement::looped;
  int chunks           = 1;      // a device has; kAnyChunks: 2 or more, as the user likes
  bool splits_backward = false;  // some backwards are an input and a weight gradient
  bool trains          = true;   // false: forwards only
  // Why there is no such schedule of this size: one clear sentence; empty: there is one. Null: never. Sizes are at
  // least 1 and `chunks` is right.
  std::string (*refuse)(const Size& size) = nullptr;
  // Every device runs each forward of its chunks once and, when it trains, each backward once: whole, or as an input
  // gradient and a weight gradient later.
  Order (*order)(const Size& size);
  // Most chunk-microbatches that `device` holds at once: forward begun, backward (or weight gradient) not finished.
  // With one chunk these are microbatches. Without backwards nothing is ever given back.
  int (*peak_live)(const Size& size, int device);
};

const Registry<ScheduleDef>& schedules();

int pipes(const ScheduleDef& schedule);
// Virtual stages of a pipe.
int stages(Placement placement, const Size& size);
int stage_of(Placement placement, const Size& size, int device, int chunk);

// The size with the chunks that the schedule has. `virtual_stages`: chunks of the model on a device; nothing: as many
// as the schedule asks for, 2 where it may be any. Refused (at no place) unless there is such a schedule: all at least
// 1, a sane number of tasks, chunks that suit, and nothing that the schedule refuses.
Expected<Size> try_size(const ScheduleDef& schedule, int devices, int microbatches, std::optional<int> virtual_stages);
// The same; throws the refusal at `where`.
Size checked_size(const ScheduleDef& schedule, int devices, int microbatches, std::optional<int> virtual_stages,
                  const std::string& where);

}  // namespace foreflow::schedule
