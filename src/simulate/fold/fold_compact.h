// Folds a compact program: one device represents all that do the same at the same time (compact_colours.h). The other
// devices are never written out.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/simulate/known.h"
#include "foreflow/simulate/options.h"
#include "foreflow/stream/compact.h"
#include "simulate/fold/courses.h"
#include "simulate/footprint/footprint.h"

namespace foreflow::simulate {

struct FoldedProgram {
  stream::Program program;
  Footprints each;                 // of one of the instances that an instance represents
  Footprints together;             // of all of them, on the first link of each class of links
  std::vector<int32_t> like_link;  // per link of the platform: the first link of its class
  // For programs of rounds (rounds/rounds.h) only. Instances of one kind are executions of the same class of groups.
  std::vector<int32_t> kind_of_instance;
  std::vector<std::vector<Courses::Depth>> depths;  // by stream and item, in the compact program
};

enum class FoldedFor : uint8_t {
  one_run,  // where at least an eighth of the devices is saved
  rounds,   // whatever is saved
};

// Nothing if a folded simulation would not be exact (jitter), if every stream must be observed (Options::observe), or
// if folding would save too little. Rings that are simulated hop by hop have one colour if hops of one number do. The
// last loads of `together` are those of Disturbances::background. Throws Error when two members have no route.
std::optional<FoldedProgram> fold(const stream::CompactProgram& program, const platform::Platform& platform,
                                  const Options& options, FoldedFor purpose, const Known& known = {});

}  // namespace foreflow::simulate
