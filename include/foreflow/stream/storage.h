// Which buffers the memory effects of a Program are made of: their names, sizes and classes, in the order in which they
// are made and freed. Written like the source of the program, as procedures that call each other, so it grows with what
// is distinct; `trail` follows the calls for one device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::stream {

struct Program;

// What a buffer is for. Activations are what the forward pass, or its repetition, leaves for the backward pass;
// workspace is every other result of an op: what the forward pass alone reads, and gradients of activations.
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
    int32_t name;  // into Storage::names
    MemoryClass kind;
    Bytes size;
  };
  // Slots are places of a procedure for buffers: its parameters first.
  struct Touch {
    int32_t slot;
    int32_t buffer;  // into Storage::buffers: a new one in the slot; -1: that in the slot is freed
  };
  struct Place {
    int32_t device;      // as the procedure calls it; kNoDevice: on none
    std::string stream;  // "" or "comm"
  };
  static constexpr int32_t kNoDevice = -1;

  // What happens on a place; `item`: as the next item of its stream, else before that one.
  struct Work {
    int32_t place;
    bool item;
    uint32_t first, last;  // of Procedure::touches
  };
  struct Call {
    int32_t procedure;
    std::vector<int32_t> devices;  // of the callee's D1, D2, ..., as the caller calls them; empty: they are its own
    std::vector<int32_t> arguments, results;  // slots of the caller
  };
  struct Step {
    bool is_call;
    int32_t index;  // into works or calls
  };
  struct Procedure {
    int32_t slots = 0;
    std::vector<Place> places;
    std::vector<int32_t> devices;  // all devices that it and its callees touch, as it calls them
    std::vector<Step> steps;
    std::vector<Work> works;
    std::vector<Touch> touches;
    std::vector<Call> calls;
    std::vector<int32_t> results;  // slots
  };
  struct Initial {
    int32_t device, slot, buffer;
  };

  std::vector<std::string> names;
  std::vector<Buffer> buffers;
  std::vector<Procedure> procedures;
  int32_t root         = 0;  // of procedures
  int32_t first_device = 1;  // what is on no device of the root is here
  int32_t of_replica   = 0;  // above 0: the next so many devices do what the first ones do, and so on
  std::vector<Initial> initial;
};

// What is made and freed on one device, item by item.
struct Trail {
  struct Touch {
    int32_t buffer;  // into Trail::buffers
    bool made;
  };
  struct Row {
    std::vector<uint32_t> first;  // per item, and the end: into touches
    std::vector<Touch> touches;
  };
  std::vector<int32_t> buffers;  // into Storage::buffers
  size_t initial = 0;            // so many of them live from the beginning
  std::vector<Row> rows;         // per stream of the device, in the order of the program's streams
};

// `device` is an index into Program::devices, which has a storage.
Trail trail(const Program& program, int device);

}  // namespace foreflow::stream
