#pragma once

#include "foreflow/scenario/scenario.h"

namespace foreflow::scenario {

// Whether a strategy keeps activations on the host until the backward pass. Throws Error at `offload` for inference, which has none.
bool read_offload(const JsonView& strategy, const Workload& workload);

}  // namespace foreflow::scenario
