// The answer of the command `foreflow schedule`, as text and as JSON.
#pragma once

#include <string>

#include "foreflow/base/json.h"
#include "foreflow/schedule/play.h"

namespace foreflow::schedule {

// A schedule, its size and its task times. With `delay_weight_gradients`, weight gradients are delayed by least_delay.
struct Question {
  const ScheduleDef& schedule;
  int devices, microbatches;
  std::optional<int> virtual_stages = {};  // as for `checked_size`
  Costs costs                       = {};
  bool delay_weight_gradients       = false;
};

// The picture, makespan, ideal time and bubble fraction, and for each device its span and its peak of microbatches in
// flight. Throws Error at `where` when the sizes or costs are not possible, the schedule has no weight gradients to
// delay, or the picture would have more than 32 million characters.
std::string describe(const Question& question, const std::string& where = "foreflow schedule");

// schedule, stages (devices), virtual_stages (chunks of the model on a device), microbatches, weight_gradients_waiting
// (at most, where they are delayed), makespan, ideal, bubble_fraction, span_per_stage[], peak_in_flight[]
// (chunk-microbatches), timeline[device][] {kind ("F", "B", "I", "W"), microbatch (within its pipe), chunk, stage
// (virtual), pipe (0 down, 1 up), start, end}; times in the unit of the costs. Throws like `describe`, but
// has no picture that could be too large.
Json to_json(const Question& question, const std::string& where = "foreflow schedule");

}  // namespace foreflow::schedule
