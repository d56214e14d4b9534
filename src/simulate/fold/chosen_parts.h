// Functions that both forms of only_devices (foreflow/simulate/chosen.h) share.
#pragma once

#include "foreflow/simulate/chosen.h"

namespace foreflow::simulate {

// A program without devices, streams and instances, but with the events of `program`.
inline stream::Program events_of(const stream::Program& program) {
  stream::Program events;
  events.computes       = program.computes;
  events.communications = program.communications;
  events.memory_effects = program.memory_effects;
  events.jobs           = program.jobs;
  events.places         = program.places;
  events.first_device   = program.first_device;
  return events;
}

// Adds the flows of `timeline`, a result of `program`, to `run`, with the instances that they refer to.
void add_flows(const stream::Program& program, const stream::Timeline& timeline, Run& run);

}  // namespace foreflow::simulate
