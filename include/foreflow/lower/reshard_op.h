// The messages of a Reshard: a plan of the reshard module for the devices that the op's operands and results are on.
#pragma once

#include <vector>

#include "foreflow/lower/lower.h"

namespace foreflow::lower {

// One communication. Members are numbers of devices of the op: operands first, then results, in rank order.
struct ReshardMeeting {
  stream::Communication what;
  std::vector<size_t> members;
};

// Where the devices of a program are: D`first` is rank 0.
struct ProgramPlaces {
  const platform::Platform& platform;
  int32_t first = 1;
};

// In the order in which every device takes part in its own. `inputs` and `outputs` are the types of the op's operands
// and results, on their devices; those that stay where they are move nothing.
std::vector<ReshardMeeting> reshard_meetings(const ir::Op& op, const std::vector<ir::Type>& inputs,
                                             const std::vector<ir::Type>& outputs, const cost::CostModel& cost,
                                             const ProgramPlaces& places, const Options& options);

// The same as a program of its own, to know how long it takes alone.
stream::Program reshard_program(const ir::Attributes& attributes, const std::vector<ir::Type>& inputs,
                                const std::vector<ir::Type>& outputs, const ProgramPlaces& places,
                                const Options& options);

}  // namespace foreflow::lower
