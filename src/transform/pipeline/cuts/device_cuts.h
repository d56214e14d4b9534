// Cuts for schedules that give each device several stages.
#pragma once

#include "foreflow/schedule/schedule.h"
#include "transform/pipeline/cuts/common_cuts.h"

namespace foreflow::transform {

// The cuts of a balanced pipeline whose devices have several stages each. A device is as slow as all of its stages
// together, and so is its memory divided: a stage may need more than its part where the others need less. Of the
// following cuts the first with which `schedule` takes the least time, or up to 1 % more, of those that keep every
// device within memory, or of all where none does:
//
// 1. those that balance the stages (CommonCuts::balanced), without a limit of memory;
// 2. uniform_cuts;
// 3. both, with cuts moved as long as that relieves the slowest device;
// 4. those that keep every stage within its part of the memory, where no others keep the devices within theirs.
//
// Returns fewer cuts than asked for if there are too few places.
// Requires: a limit per stage of a schedule of that size; with limits.memory, those of devices divided by size.chunks.
Cuts balanced_over_devices(CommonCuts& common, const StageLimits& limits, const schedule::ScheduleDef& schedule,
                           const schedule::Size& size);

// The time in which a schedule of that size does the work between such cuts, in seconds over shares. Sends keep both
// stages busy. Of many microbatches a few are played, and the others take as long as the last of these.
double seconds_of_schedule(std::span<const CutPlace> places, const Cuts& cuts, const StageLimits& limits,
                           const schedule::ScheduleDef& schedule, const schedule::Size& size);

}  // namespace foreflow::transform
