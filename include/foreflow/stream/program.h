// The work of every device, in order: the second of the three values (ir::Module -> stream::Program ->
// stream::Timeline). Events are distinct pieces of work, priced once; streams list them by number. No tensors, no ops,
// no absolute time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/collective/collective.h"
#include "foreflow/stream/host.h"
#include "foreflow/stream/members.h"
#include "foreflow/stream/storage.h"

namespace foreflow::stream {

// One op inside a compute event, for the timeline: parts follow each other without a gap.
struct Part {
  std::string name;  // "MatMul"
  Seconds duration;
};

// A run of compute on one device that nothing observes (a composite of its parts).
struct Compute {
  std::string name;  // "@stage1_forward" or "MatMul"
  Seconds duration;  // sum of the parts
  Flops flops;       // sum over the parts
  std::vector<Part> parts;
  Issue issue = {};  // by the host
};

// The time of a communication where its members were on so many nodes.
struct TimeOnNodes {
  int nodes;
  std::optional<Seconds> time;  // nothing: it was measured there, but not in a way that prices this one
  std::string_view priced_by;   // as Communication::priced_by

  bool operator==(const TimeOnNodes&) const = default;
};

// A message or collective over an ordered group of streams.
struct Communication {
  std::string name;  // the op: "MPIAllreduce"
  collective::Kind kind;
  const collective::AlgorithmDef* algorithm;
  Bytes bytes;  // as collective::Kind defines it
  // How long it takes whatever the network does (a cost model's formula); nothing: the network simulates its flows.
  std::optional<Seconds> fixed = std::nullopt;
  Issue issue = {};  // by the host of each member, in a hand-over by that of the stream that hands over
  // Passes before the first message leaves, once all members are there: launching, agreeing. Not of a `fixed` one.
  Seconds start{};
  // How `fixed` was found, for people: the name of a cost::Provenance. "": not by a cost model.
  std::string_view priced_by = {};
  // Times that hold on some numbers of nodes only. Of an instance, whose members are placed, it is empty (`on_nodes`
  // made `fixed` of it), unless its own number of nodes was never measured, so that the network simulates it.
  std::vector<TimeOnNodes> measured = {};
};

// The communication where its members are on this number of nodes.
Communication on_nodes(Communication communication, int nodes);

// The effect of one item on the memory of its device, relative to the level when it starts.
struct MemoryEffect {
  Bytes peak;  // highest level above the start while it runs (>= 0)
  Bytes net;   // level after it, relative to the start
};

struct Item {
  int32_t event;     // instance < 0: index into Program::computes; otherwise equal to instances[instance].communication
  int32_t instance;  // index into Program::instances, or -1 for compute
  int32_t memory;    // index into Program::memory_effects
};

// One execution of a communication by its members. It starts when the last of them arrives.
struct Instance {
  int32_t communication;  // index into Program::communications
  Members members;
};

// The `count` items from `first` on come that many more times, in a row.
struct Repetition {
  size_t first = 0, count = 0;
  int64_t times = 0;
};

struct Stream {
  std::string name;  // "D1" or "D1.comm"
  int device;        // index into Program::devices
  std::vector<Item> items;
  Repetition repeated = {};  // items that the storage of the device has once
  Seconds begins{};          // its first item starts no earlier, and its host issues nothing before
};

// The device numbers first, first + step, ..., last.
struct DeviceRange {
  int32_t first, last, step = 1;

  int64_t count() const { return (last - first) / step + 1; }
};

struct DeviceUse {
  int index;                                   // the DistIR device number (D1 -> 1)
  int place;                                   // index into platform::Platform::devices()
  Bytes initial;                               // what lives from the beginning: parameters, optimizer state, inputs
  int32_t job                            = 0;  // index into Program::jobs
  std::shared_ptr<const Storage> storage = nullptr;  // what its memory holds; null: not known
  // In a folded program: the devices that it represents, which do the same at the same time, itself first; empty:
  // itself.
  std::vector<DeviceRange> members = {};

  int64_t count() const;  // how many devices it stands for
};

// A program may be folded: one device stands for all that do the same at the same time, one instance for all that they
// execute together. Its streams are then those of the first device of each class.
//
// Invariants (verify): every member of an instance lists it exactly once; instances are numbered in program order, so
// the instance numbers in each stream increase: no program can deadlock.
struct Program {
  std::vector<Compute> computes;
  std::vector<Communication> communications;
  std::vector<MemoryEffect> memory_effects;
  std::vector<Instance> instances;
  std::vector<DeviceUse> devices;
  std::vector<Stream> streams;
  // The names of the jobs that share the platform; empty: a single job, which has no name.
  std::vector<std::string> jobs;
  // In a folded program: the platform device of D(first_device + r), for r = 0, 1, ...; empty: device r.
  std::vector<int> places;
  int32_t first_device = 1;
};

// The device numbers that `device` represents, including its own; and the platform device of one of them, an index into
// platform::Platform::devices().
std::vector<DeviceRange> numbers(const DeviceUse& device);
int place_of(const Program& program, const DeviceUse& device, int32_t number);

// The number of devices, including those that others represent.
int64_t device_count(const Program& program);

// "D1", and "JOB/D1" where several jobs share the platform.
std::string name(const Program& program, const DeviceUse& device);

// Throws InternalError when an invariant is broken.
void verify(const Program& program);

// The `.stream` text, for reading, diffing and golden tests.
std::string print(const Program& program);

}  // namespace foreflow::stream
