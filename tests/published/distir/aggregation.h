// What the DistIR authors' pipeline transform does beyond ours, for the MLP of their grid.
//
// Both add up the weight gradients of the microbatches as they are made. Where ours begins a sum with the gradient of
// the first microbatch itself, theirs begins with an Identity copy of it. Where ours leaves the losses and the
// gradients of the inputs in pieces, one a microbatch, theirs joins them as they come: after microbatch j a Concat
// makes a tensor of j pieces beside the one of j - 1 and the new piece. The copies exist for a moment; afterwards both
// hold the same.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::published {

// The peak over all devices with those copies. Where there is a loss, theirs also holds the number of samples, an
// Int32.
Bytes peak_with_copies(const scenario::Scenario& scenario, const scenario::Outcome& outcome);

// The launches of those Concats on one device: an upper bound of what they add to the iteration.
Seconds time_of_copies(const scenario::Scenario& scenario);

}  // namespace foreflow::published
