// Writes the end of a training step, after all microbatches: sums gradients over the devices that hold a term, and
// updates every copy of a weight.
#pragma once

#include <map>

#include "transform/pipeline/cuts/stages.h"
#include "transform/pipeline/program/placed_values.h"
#include "transform/pipeline/program/stage_devices.h"
#include "transform/pipeline/program/wide_sums.h"

namespace foreflow::transform {

class StepUpdate {
 public:
  // `summed` tells per value whether it is summed over the microbatches; a device then has the sum over those that it
  // ran, in the type that `wide` has for it.
  StepUpdate(ir::FunctionBuilder& builder, const ir::Function& function, const std::vector<StagedOp>& staged,
             const std::vector<bool>& summed, const WideSums& wide, PlacedValues& values, const StageDevices& devices);

  void run();
  // A value that all microbatches share, or the sum over them, on `device` (-1: on any device).
  ir::ValueId total(ir::ValueId id, int device);

 private:
  void update(const ir::Op& op);
  void reshard(const ir::Op& op, int stage);
  void optimize(const ir::Op& op);
  std::vector<int> holders(ir::ValueId id);
  void append(const ir::Op& op, std::span<const ir::ValueId> inputs, const std::vector<ir::ValueId>& results,
              int device);
  void sum_up(ir::ValueId id);
  void collect(ir::ValueId id, std::vector<ir::ValueId>& parts) const;
  bool is_sum(ir::ValueId id) const;
  ir::ValueId constant(ir::ValueId id);

  ir::FunctionBuilder& builder_;
  const ir::Function& function_;
  const std::vector<StagedOp>& staged_;
  const std::vector<bool>& summed_;
  const WideSums& wide_;
  PlacedValues& values_;
  const StageDevices& devices_;
  const std::vector<int32_t> makers_;
  std::map<ir::ValueId, std::map<int, ir::ValueId>> totals_;  // per sum: the sum over all devices, by device
  std::map<ir::ValueId, ir::ValueId> constants_;
};

}  // namespace foreflow::transform
