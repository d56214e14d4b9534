// Program + Platform -> Timeline, by one of the engines. All keep one execution rule: an item starts when
// its stream is free and, for a communication, when all members are; it occupies all of them until it ends. The one
// exception is a hand-over between two streams of one device, which never holds up the stream that hands over
// (stream/timeline.h). docs/models.md explains the rule with an example.
#pragma once

#include <string_view>

#include "foreflow/base/registry.h"
#include "foreflow/platform/platform.h"
#include "foreflow/simulate/options.h"
#include "foreflow/stream/compact.h"
#include "foreflow/stream/timeline.h"

namespace foreflow::simulate {

struct FoldedProgram;  // simulate/fold_compact.h

// What was simulated of a compact program, with its timeline: one device for all that do the same at the same time
// (DeviceUse::alike) where that saves at least half of them and is exact; else every device.
struct Run {
  stream::Program program;
  stream::Timeline timeline;
};

struct EngineDef {
  std::string_view name;  // "analytic", "simgrid", "simgrid_flows"
  std::string_view doc;
  stream::Timeline (*simulate)(const stream::Program& program, const platform::Platform& platform,
                               const Options& options);
  // Null: the engine simulates every stream.
  stream::Timeline (*simulate_folded)(const FoldedProgram& folded, const platform::Platform& platform,
                                      const Options& options) = nullptr;

  // Streams are placed on platform devices by Program::devices[].place.
  // Throws Error when two members of a communication have no route, when a disturbance names no device or link of the
  // platform or is out of range, when a flow can never end because its link is down for ever, and when streams wait for
  // each other (the message names device, op and the peer that does not come).
  stream::Timeline run(const stream::Program& program, const platform::Platform& platform,
                       const Options& options = {}) const {
    return simulate(program, platform, options);
  }

  // As above; the cost follows the devices that differ. Throws Error also when a program that cannot be folded does not
  // fit into memory.
  Run run(const stream::CompactProgram& program, const platform::Platform& platform, const Options& options = {}) const;
};

const Registry<EngineDef>& engines();

}  // namespace foreflow::simulate
