// Cuts of pipelines whose devices have several stages each, moved to relieve the slowest device.
#pragma once

#include "foreflow/schedule/schedule.h"
#include "transform/pipeline/cuts/cuts.h"

namespace foreflow::transform {

// Returns true if no device exceeds the memory of all of its stages together.
bool devices_fit(std::span<const CutPlace> places, const Cuts& cuts, const StageLimits& limits,
                 schedule::StageMapping mapping, const schedule::Size& size);

// `from`, with cuts moved from place to place as long as that relieves the slowest device. Cuts that keep every device
// within limits.memory are moved only where the others do, too.
Cuts relieved(std::span<const CutPlace> places, const Cuts& from, const StageLimits& limits,
              schedule::StageMapping mapping, const schedule::Size& size);

}  // namespace foreflow::transform
