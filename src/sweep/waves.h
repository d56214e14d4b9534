// The order in which a sweep predicts its points, and by which workers. It affects nothing but how long the sweep
// takes.
#pragma once

#include "foreflow/scenario/axes.h"

namespace foreflow::sweep {

// A wave: the work of one set of workers before the next set is forked.
struct Wave {
  // The platform of all these points is loaded before the crew is forked, so that it shares it; or each worker loads
  // the platform of its batch, and no other worker has a batch of the same platform.
  bool shared = false;
  std::vector<std::vector<size_t>> batches;  // of point numbers; a worker does one batch after another
};

// The points `pending` of the scenario for `jobs` workers. A platform is shared where it is a good part of all the
// work: more than a quarter of what is one worker's share.
std::vector<Wave> waves_of(const Json& source, const std::vector<scenario::Axis>& axes,
                           const std::vector<size_t>& pending, size_t jobs);

}  // namespace foreflow::sweep
