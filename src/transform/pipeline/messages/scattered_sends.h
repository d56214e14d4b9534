// Sends between stages of which each device of a group sends one part: what all of them have in common crosses once.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "transform/pipeline/messages/replicated.h"
#include "transform/pipeline/messages/value_sources.h"

namespace foreflow::transform {

// As Pipeline::scattered says:
//
//   %1, %2 = Split[axis = 1](%y)      on each device of the group
//   %a = Send[to = D5](%1)            from the first
//   %b = Send[to = D6](%2)            from the second
//   %y5, %y6 = MPIAllgather(%a, %b)   where %y is needed
class ScatteredSends {
 public:
  // All but `wanted` must outlive it.
  ScatteredSends(const PipelinedProgram& program, const Pipeline& wanted, const ValueSources& sources,
                 ir::FunctionBuilder& builder, PlacedValues& placed);

  // Returns true if the devices of a group send a value so.
  bool sends(ir::ValueId id, int part) const;
  // Sends the parts of a value from the devices of its group to those of group `device`, if they are not on their way.
  const std::vector<ir::ValueId>& send(ir::ValueId id, int part, int device);
  // Sends and gathers them.
  void gather(ir::ValueId id, int part, int device);

 private:
  int64_t axis_of(ir::ValueId id) const;
  const std::vector<ir::ValueId>& equal_to(ir::ValueId id) const;

  const PipelinedProgram& program_;
  const ValueSources& sources_;
  ir::FunctionBuilder& builder_;
  PlacedValues& placed_;
  const int ways_, shards_;                                                     // as in Pipeline and StagePrices
  const Replicated replicated_;                                                 // empty: nothing is scattered
  std::map<std::tuple<int32_t, int, int>, std::vector<ir::ValueId>> arriving_;  // by group, microbatch and device
};

}  // namespace foreflow::transform
