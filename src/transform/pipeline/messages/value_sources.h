// The sources of the values of a pipelined program: the device that computes one, or the Reshard that brings it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "transform/pipeline/program/pipelined_program.h"

namespace foreflow::transform {

class ValueSources {
 public:
  // All arguments must outlive the object.
  ValueSources(const PipelinedProgram& program, const StageFunctions& functions, const PlacedValues& placed);

  // The device that has the value of microbatch `part` first.
  int of(ir::ValueId id, int part) const;
  // The index of the Reshard of which the value is a result. A Reshard brings values to a stage that is sharded in
  // another way.
  std::optional<size_t> transfer_of(ir::ValueId id) const;
  // The Reshards whose first operand the value is.
  std::span<const size_t> transfers_from(ir::ValueId id) const;

 private:
  const PipelinedProgram& program_;
  const StageFunctions& functions_;
  const PlacedValues& placed_;
  std::map<ir::ValueId, std::vector<size_t>> transfers_;  // by their first operand
  std::map<ir::ValueId, size_t> transferred_;             // by their results
};

}  // namespace foreflow::transform
