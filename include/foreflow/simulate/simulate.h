// Program + Platform -> Timeline, by one of two engines. Both keep the rule of ARCHITECTURE section 3: an item starts when
// its stream is free and, for a communication, when all members are; it occupies all of them until it ends.
#pragma once

#include <string_view>

#include "foreflow/base/registry.h"
#include "foreflow/platform/platform.h"
#include "foreflow/stream/timeline.h"

namespace foreflow::simulate {

struct EngineDef {
  std::string_view name;  // "analytic", "simgrid"
  std::string_view doc;
  // Streams are placed on platform devices by Program::devices[].place.
  // Throws Error when two members of a communication have no route.
  stream::Timeline (*run)(const stream::Program& program, const platform::Platform& platform);
};

const Registry<EngineDef>& engines();

}  // namespace foreflow::simulate
