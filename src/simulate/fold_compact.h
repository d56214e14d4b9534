// A compact program folded by construction: one device for all that do the same at the same time (alike.h), without
// ever writing the others out.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/simulate/options.h"
#include "foreflow/stream/compact.h"
#include "simulate/footprint.h"

namespace foreflow::simulate {

struct FoldedProgram {
  stream::Program program;
  Footprints each;                 // of one of the instances that an instance stands for
  Footprints together;             // of all of them, on the first link of each class of links
  std::vector<int32_t> like_link;  // by link of the platform: the first link of its class
};

// Nothing where a folded simulation would not be exact (jitter, hops of a ring that move by themselves), where streams
// would have to be seen one by one (Options::observe), and where fewer than half of the devices have others like them.
// The last loads of `together` are those of Disturbances::background. Throws Error when two members have no route.
std::optional<FoldedProgram> fold(const stream::CompactProgram& program, const platform::Platform& platform,
                                  const Options& options);

}  // namespace foreflow::simulate
