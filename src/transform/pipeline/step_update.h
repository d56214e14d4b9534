// What a pipeline does once a step, after all microbatches: gradients are added up over the devices that have a part of
// them, and every copy of a weight is updated.
#pragma once

#include <map>

#include "transform/pipeline/placed_values.h"
#include "transform/pipeline/stages.h"

namespace foreflow::transform {

class StepUpdate {
 public:
  // `summed` per value: every device that made some has the sum over its own microbatches.
  StepUpdate(ir::FunctionBuilder& builder, const ir::Function& function, const std::vector<StagedOp>& staged,
             const std::vector<bool>& summed, PlacedValues& values);

  void run();
  // A value that all microbatches share, or the sum over them, on `device`; of -1: on any.
  ir::ValueId total(ir::ValueId id, int device);

 private:
  void update(const ir::Op& op);
  void optimize(const ir::Op& op);
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
  PlacedValues& values_;
  const std::vector<int32_t> makers_;
  std::map<ir::ValueId, std::map<int, ir::ValueId>> totals_;  // of sums, by device; complete
  std::map<ir::ValueId, ir::ValueId> constants_;
};

}  // namespace foreflow::transform
