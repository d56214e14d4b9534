// Where the values of a pipeline are made.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "transform/pipeline/pipelined_program.h"

namespace foreflow::transform {

class ValueSources {
 public:
  // All must outlive it.
  ValueSources(const PipelinedProgram& program, const StageFunctions& functions, const PlacedValues& placed);

  // The device where a value is made for a microbatch.
  int of(ir::ValueId id, int part) const;
  // The Reshard, by the number of its op, that hands a value on to a stage that is sharded in another way.
  std::optional<size_t> transfer_of(ir::ValueId id) const;
  // Those whose first operand it is.
  std::span<const size_t> transfers_from(ir::ValueId id) const;

 private:
  const PipelinedProgram& program_;
  const StageFunctions& functions_;
  const PlacedValues& placed_;
  std::map<ir::ValueId, std::vector<size_t>> transfers_;  // by their first operand
  std::map<ir::ValueId, size_t> transferred_;             // by their results
};

}  // namespace foreflow::transform
