// The buffers behind the memory effects of a Program: their names, sizes and classes, in the order in which they are
// allocated and freed. Represented as procedures that call each other, like the program that they come from, so the
// size depends on the distinct functions and not on the number of calls. `trail` expands the calls for one device.
//
// Example: a stage function that is called for 8 microbatches is one procedure with one list of touches. The root has 8
// calls of it, and the trail of the stage's device has those touches 8 times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::stream {

struct Program;

// The kind of value that a buffer holds. Activations are values that the forward pass, or its recomputation, produces
// and the backward pass reads. Workspace is every other result of an op: values that only the forward pass reads, and
// gradients of activations.
enum class MemoryClass : uint8_t {
  parameters,
  gradients,
  optimizer_state,
  activations,
  workspace,
  communication,
  data
};
constexpr size_t kMemoryClasses = 7;

std::string_view name(MemoryClass kind);  // "optimizer_state"

struct Storage {
  struct Buffer {
    int32_t name;  // index into Storage::names
    MemoryClass kind;
    Bytes size;
  };
  // A slot is a local variable of a procedure that refers to a buffer; its parameters are the first slots.
  struct Touch {
    int32_t slot;
    int32_t buffer;  // index into Storage::buffers: allocated into the slot; -1: frees the buffer in the slot
  };
  struct Lane {
    int32_t device;      // number within the procedure; kNoDevice: on no device
    std::string stream;  // "" or "comm"
  };
  static constexpr int32_t kNoDevice = -1;

  // Touches on one stream. `item`: they happen during the next item of the stream; otherwise before that item.
  struct Work {
    int32_t lane;
    bool item;
    uint32_t first, last;  // range of Procedure::touches
  };
  struct Call {
    int32_t procedure;
    std::vector<int32_t> devices;  // the callee's D1, D2, ... as device numbers of the caller; empty: the same numbers
    std::vector<int32_t> arguments, results;  // slots of the caller
  };
  struct Step {
    bool is_call;
    int32_t index;  // index into works or calls
  };
  struct Procedure {
    int32_t slots = 0;
    std::vector<Lane> lanes;
    std::vector<int32_t> devices;  // all devices that it and its callees use, as numbers within the procedure
    std::vector<Step> steps;
    std::vector<Work> works;
    std::vector<Touch> touches;
    std::vector<Call> calls;
    std::vector<int32_t> results;  // slots
  };
  // Which device of the procedures represents a device, and its numbers among the shards and the ranks of its stage;
  // all count from 0.
  struct Place {
    int32_t written, shard, rank;
  };
  struct Initial {
    int32_t device, slot, buffer;
  };

  // With kShardMark and kRankMark in place of the numbers of a shard and of a rank.
  std::vector<std::string> names;
  std::vector<Buffer> buffers;
  std::vector<Procedure> procedures;
  int32_t root         = 0;  // index into procedures
  int32_t first_device = 1;  // number of the device for values that are on no device of the root
  int32_t of_replica   = 0;  // above 0: the program has equal replicas of this many devices each
  // Per device of a replica. Empty: the procedures have all devices.
  std::vector<Place> places;
  std::vector<Initial> initial;

  // The device of the procedures that represents a device of the program.
  int32_t written_device(int32_t device) const;
  // The name of a buffer on a device of the program.
  std::string name_of(const Buffer& buffer, int32_t device) const;
};

// The allocations and frees of one device, item by item.
struct Trail {
  struct Change {
    int32_t buffer;  // index into Trail::buffers
    bool made;       // false: freed
  };
  struct Row {
    std::vector<uint32_t> first;  // per item, and one more for the end: index into changes
    std::vector<Change> changes;
  };
  std::vector<int32_t> buffers;  // into Storage::buffers
  size_t initial = 0;            // number of buffers, the first ones, that are live from the beginning
  std::vector<Row> rows;         // per stream of the device, in the order of the program's streams
};

// Expands the calls for one device. Items that are repeated (Stream::repeated) change the same buffers each time; what
// is alive is then right by the names and sizes of buffers, and not one by one. Requires: `device` is an index into
// Program::devices, and that device has a storage.
Trail trail(const Program& program, int device);

}  // namespace foreflow::stream
