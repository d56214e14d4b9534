// ir::Module -> stream::CompactProgram. Projects the program onto each device, prices every distinct piece of work
// once, and derives its effect on memory from liveness. A function is lowered once per signature; its calls only rename
// devices.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "foreflow/cost/cost.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/written_devices.h"
#include "foreflow/lower/host_costs.h"
#include "foreflow/platform/platform.h"
#include "foreflow/reshard/strategy.h"
#include "foreflow/stream/compact.h"

namespace foreflow::lower {

using stream::Algorithms;
using stream::GroupAlgorithms;

// Data of one device.
struct Input {
  std::string name;
  int32_t device;  // its number in the program
  Bytes size;
};

struct Options {
  Algorithms algorithms{};
  std::vector<GroupAlgorithms> groups;
  // The platform devices of D1, D2, ...: indices into platform::Platform::devices(), none twice. If empty, D1, D2, ...
  // take the devices in the platform's order.
  std::vector<int> places;
  // How tensors change their layout between stages that are sharded in different ways; null: the first strategy.
  const reshard::StrategyDef* resharding = nullptr;
  HostCosts host{};    // of every device
  bool fuses = false;  // an element-wise op or norm is one kernel with such an op before it (lower/kernels.h)
  // stream::Communication::start of each collective, and of each message.
  Seconds collective_start{}, message_start{};
  // In memory from the beginning to the end besides the program's parameters.
  std::vector<Input> inputs;
  // False: the program has no Storage, so that reports know how much memory is in use but not by what.
  bool storage = true;
};

struct Lowered {
  stream::CompactProgram compact;
  // Per stream::Compute of the program: its seconds by provenance.
  std::vector<std::array<Seconds, cost::kProvenances>> provenance;

  // Every stream of every replica.
  stream::Program program() const { return stream::expand(compact); }
};

// A value on no device counts as if it were on D1. `interpretation` is that of function `entry` of `module`. Throws
// Error when there are too few devices or places, or a value that matters to a price has an unknown shape.
Lowered lower(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
              const cost::CostModel& cost, const platform::Platform& platform, const Options& options = {});

// Lowers a program that represents `replicas` replicas (ir/replicas.h). Every replica gets streams: the first one on
// the first devices, the second one on those that follow, and so on. Requires: all devices have the same hardware.
Lowered lower_replicas(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                       const cost::CostModel& cost, const platform::Platform& platform, int replicas,
                       const Options& options = {});

// Lowers a program in which some devices represent others (ir/replicas.h). With two of 4 shards written, for example,
// D1 and D2 represent D1 .. D4, D3 and D4 the next four devices, and so on. Nothing if a function numbers its devices
// differently.
std::optional<Lowered> lower_written(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                                     const cost::CostModel& cost, const platform::Platform& platform, int replicas,
                                     const ir::WrittenDevices& written, const Options& options = {});

}  // namespace foreflow::lower
