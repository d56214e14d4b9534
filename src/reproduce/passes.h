// How long a stage of a pipeline takes for one microbatch. A stage in the middle is some layers without embedding and
// head, with the collectives of tensor parallelism and without messages between stages.
#pragma once

#include "foreflow/base/units.h"
#include "foreflow/scenario/run.h"

namespace foreflow::reproduce {

struct PassTimes {
  Seconds forward;
  Seconds backward;  // of activations and weights; where the schedule parts them, of activations alone
  Seconds weights;   // where the schedule parts them: of weights, of the first microbatch, so that nothing is added up
  Bytes kept;        // what the first forward pass leaves in memory, once its result has been sent
};

// The times of stage `number`, from 1. Each pass counts from where its first kernel starts to where its last ends, so
// that work of the host in between is part of it, and what the first kernel waits for is not. Throws Error where there
// is no such stage.
PassTimes passes_of_stage(const scenario::Outcome& outcome, int number);

}  // namespace foreflow::reproduce
