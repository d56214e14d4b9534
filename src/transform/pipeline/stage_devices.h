// Which device does each stage, and which devices hold each weight.
#pragma once

#include <set>
#include <vector>

#include "transform/pipeline/stage_table.h"

namespace foreflow::transform {

class StageDevices {
 public:
  explicit StageDevices(const schedule::Plan& plan);

  int pipes() const { return static_cast<int>(devices_.size()); }
  int of(int pipe, int stage) const { return devices_[static_cast<size_t>(pipe)][static_cast<size_t>(stage)]; }

 private:
  std::vector<std::vector<int>> devices_;  // by pipe and stage
};

// Per parameter of `function` the devices with a copy of it: those that read it; a weight's optimizer state lives with
// it.
std::vector<std::set<int>> holders_of(const ir::Function& function, const std::vector<StagedOp>& staged,
                                      const StageFunctions& functions, const StageDevices& devices);

}  // namespace foreflow::transform
