// Which of the places where a program may be cut become the ends of stages.
#pragma once

#include <span>

#include "transform/pipeline/cut_places.h"

namespace foreflow::transform {

// The last forward op of every stage but the last, ascending. Empty `shares` mean equal ones.
using Cuts = std::vector<int32_t>;

// By forward arithmetic: each cut near its share of the whole, near it where the fewest tensors cross. Fewer cuts than
// asked for when there are not enough places.
Cuts uniform_cuts(std::span<const CutPlace> places, std::span<const double> shares);

// What a stage may need, stage by stage.
struct StageLimits {
  std::vector<double> shares;     // of the work, one a stage
  std::vector<double> in_flight;  // microbatches whose activations it holds
  Bytes memory;                   // 0: any
  double seconds_per_byte = 0;    // of sending: both ends of a cut take it, forward and backward
};

// The slowest stage, in seconds over its share, is as fast as any cuts can make it (to kSameTime); of such cuts those
// with the fewest bytes crossing, then the most even ones. Exact dynamic programming over `places`, O(places^2) because
// no stage is longer than the best found so far. Stages keep below the memory limit if there are such cuts.
constexpr double kSameTime = 1e-6;  // relative
Cuts balanced_cuts(std::span<const CutPlace> places, const StageLimits& limits);

}  // namespace foreflow::transform
