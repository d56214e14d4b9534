// A compact program folded by construction: one device for all that do the same at the same time (alike.h), without
// ever writing the others out.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/simulate/options.h"
#include "foreflow/stream/compact.h"
#include "simulate/courses.h"
#include "simulate/footprint.h"

namespace foreflow::simulate {

struct FoldedProgram {
  stream::Program program;
  Footprints each;                 // of one of the instances that an instance stands for
  Footprints together;             // of all of them, on the first link of each class of links
  std::vector<int32_t> like_link;  // by link of the platform: the first link of its class
  // Instances of one kind are executions of the same class of groups.
  std::vector<int32_t> kind_of_instance;
  std::vector<std::vector<Courses::Depth>> depths;  // by stream and item, in the compact program
};

enum class Saving : uint8_t {
  half,  // of the devices at least have another like them
  any,   // none have to
};

// Nothing where a folded simulation would not be exact (jitter, hops of a ring that move by themselves), where streams
// would have to be seen one by one (Options::observe), and where it would save less than is asked for.
// The last loads of `together` are those of Disturbances::background. Throws Error when two members have no route.
std::optional<FoldedProgram> fold(const stream::CompactProgram& program, const platform::Platform& platform,
                                  const Options& options, Saving saving);

}  // namespace foreflow::simulate
