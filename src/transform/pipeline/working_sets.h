// Values that are in memory at the same time in a backward pass, without its program: for bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "transform/pipeline/phases.h"

namespace foreflow::transform {

// What one op of the backward pass reads, or makes, whichever is more; or what the ops after a recomputed segment read
// of it.
struct WorkingSet {
  int32_t anchor;  // of the op
  Bytes whole;     // with whole values
  Bytes in_parts;  // without those that may be there in parts
};

// How the values of a program count.
struct StoredValues {
  std::function<size_t(size_t value)> root_of;      // the value whose memory it shares
  std::function<bool(size_t value)> is_stored;      // as an activation or a gradient
  std::function<Bytes(size_t value)> bytes_of;      // the mean over the devices
  std::function<Bytes(size_t value)> bytes_on_one;  // on a device that has it
};

// Values of which `overlap_tensor` may make only parts at a time: gathered rows, and terms of sums.
std::set<size_t> values_in_parts(const ir::Function& function, const std::function<size_t(size_t value)>& root_of);

// `in_parts` is values_in_parts.
std::vector<WorkingSet> working_sets(const ir::Function& function, const std::vector<StagePhase>& phases,
                                     const std::vector<int32_t>& anchors, const std::set<size_t>& in_parts,
                                     const StoredValues& values);

}  // namespace foreflow::transform
