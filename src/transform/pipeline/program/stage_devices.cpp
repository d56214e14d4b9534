#include "transform/pipeline/program/stage_devices.h"

namespace foreflow::transform {

using ir::ValueId;

StageDevices::StageDevices(const schedule::Plan& plan)
    : devices_(static_cast<size_t>(plan.pipes()), std::vector<int>(static_cast<size_t>(plan.stages()))) {
  for (int device = 0; device < plan.size.devices; ++device) {
    for (int chunk = 0; chunk < plan.size.chunks; ++chunk) {
      const auto pipe       = static_cast<size_t>(plan.pipe_of(chunk)),
                 stage      = static_cast<size_t>(plan.stage_of(device, chunk));
      devices_[pipe][stage] = device;
    }
  }
}

std::vector<std::set<int>> holders_of(const ir::Function& function, const std::vector<StagedOp>& staged,
                                      const StageFunctions& functions, const StageDevices& devices) {
  std::vector<std::set<int>> holders(function.parameters.size());
  for (size_t i = 0; i < holders.size(); ++i) {
    for (int pipe = 0; pipe < devices.pipes(); ++pipe) {
      for (const int stage : functions.readers(static_cast<ValueId>(i))) holders[i].insert(devices.of(pipe, stage));
    }
  }
  for (size_t o = 0; o < staged.size(); ++o) {
    const auto inputs = function.inputs(function.ops[o]);
    if (staged[o].phase != StagePhase::update || inputs.empty()) continue;
    if (inputs[0] == ValueId::none || ir::index(inputs[0]) >= holders.size()) continue;
    for (const ValueId id : inputs) {
      if (id != ValueId::none && ir::index(id) < holders.size() && holders[ir::index(id)].empty())
        holders[ir::index(id)] = holders[ir::index(inputs[0])];
    }
  }
  for (auto& all : holders) {
    if (all.empty()) all.insert(0);
  }
  return holders;
}

}  // namespace foreflow::transform
