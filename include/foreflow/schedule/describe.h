// What the command `foreflow schedule` answers, as text and as JSON.
#pragma once

#include <string>

#include "foreflow/base/json.h"
#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule {

// The picture, makespan, ideal, bubble fraction, and span and peak in flight of every stage.
// Throws Error at `where` when the sizes or costs make no sense.
std::string describe(const ScheduleDef& schedule, int stages, int microbatches, const Costs& costs,
                     const std::string& where = "foreflow schedule");

// schedule, stages, microbatches, makespan, ideal, bubble_fraction, span_per_stage[], peak_in_flight[] (microbatches),
// timeline[stage][] {kind ("F", "B"), microbatch, chunk, start, end}; times in the unit of `costs`.
// Throws like `describe`.
Json to_json(const ScheduleDef& schedule, int stages, int microbatches, const Costs& costs,
             const std::string& where = "foreflow schedule");

}  // namespace foreflow::schedule
