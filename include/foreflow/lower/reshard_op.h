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

// The platform of a program, and the number of the program's first device: D`first` is rank 0.
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

// The program in which each Reshard of the entry says, in an attribute `jobs`, by which communications its plan moves
// the parts, in the order in which every device takes part in its own. `interpretation` is that of the entry:
//
//   "broadcast 0 4 5|0:2 0:8"           rows 0 and 1 from member 0 to members 4 and 5
//   "all_gather 4 5|0:1 0:8|1:2 0:8"    what members 4 and 5 bring, in their order; afterwards both have all
//
// Members are numbers of devices of the op: operands first, then results. Strategies that move no data, and Reshards of
// values whose shape is not known, get no attribute.
ir::Module with_reshard_jobs(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                             const ProgramPlaces& places, const Options& options);

}  // namespace foreflow::lower
