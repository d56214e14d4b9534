// Sets of values that a backward pass must have in memory at the same time. They are found in the program before it is
// pipelined, and bounds of the memory follow from them.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "transform/pipeline/phases/phases.h"

namespace foreflow::transform {

// One such set:
//   1. the operands of an op, or its results, whichever are larger; or
//   2. the values of a recomputed segment that ops behind the segment read.
struct WorkingSet {
  int32_t anchor;  // as in pipeline/phases/anchors.h: the forward op whose stage needs the set
  Bytes whole;     // of all values
  Bytes in_parts;  // without the values of which only a part may be in memory
};

// The memory that values take.
struct StoredValues {
  std::function<size_t(size_t value)> root_of;      // the value whose memory it has
  std::function<size_t(size_t value)> source_of;    // the value of which it is a view, perhaps of a part
  std::function<bool(size_t value)> is_stored;      // it is an activation or the gradient of one
  std::function<Bytes(size_t value)> bytes_of;      // the mean over the devices
  std::function<Bytes(size_t value)> bytes_on_one;  // on a device that has it
};

// The sources of the values of which `overlap_tensor` may keep only a part at a time: gathered rows, and operands of
// collectives that sum. `source_of` as in StoredValues.
std::set<size_t> values_in_parts(const ir::Function& function, const std::function<size_t(size_t value)>& source_of);

// The working sets of the backward ops of `function`. Per op: its phase and its anchor. `in_parts` is values_in_parts.
std::vector<WorkingSet> working_sets(const ir::Function& function, const std::vector<StagePhase>& phases,
                                     const std::vector<int32_t>& anchors, const std::set<size_t>& in_parts,
                                     const StoredValues& values);

}  // namespace foreflow::transform
