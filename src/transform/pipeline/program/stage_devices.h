// The device that runs each stage, and the devices that hold each weight.
#pragma once

#include <set>
#include <vector>

#include "foreflow/base/nth.h"
#include "transform/pipeline/program/stage_table.h"

namespace foreflow::transform {

class StageDevices {
 public:
  explicit StageDevices(const schedule::Plan& plan);

  int pipes() const { return static_cast<int>(devices_.size()); }
  int of(int pipe, int stage) const { return nth(nth(devices_, pipe), stage); }

 private:
  std::vector<std::vector<int>> devices_;  // by pipe and stage
};

// Per parameter of `function`: the devices that hold a copy of it, which are those that read it. The optimizer states
// of a weight are on the devices of the weight.
std::vector<std::set<int>> holders_of(const ir::Function& function, const std::vector<StagedOp>& staged,
                                      const StageFunctions& functions, const StageDevices& devices);

}  // namespace foreflow::transform
