// The functions of all stages of a pipeline: which there are, and which of their values other stages need.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "foreflow/schedule/plan.h"
#include "transform/pipeline/placed_values.h"
#include "transform/pipeline/stage_outliner.h"

namespace foreflow::transform {

// A function for a task: it differs by the sums that exist when it is called.
using StageFunctionKey = std::tuple<schedule::Phase, int, std::vector<bool>>;  // phase, stage, begun parts

// Where a function's parameters, sums and results are on a device.
struct Spots {
  std::vector<PlacedValues::Spot> parameters, sums, results;
};

struct StageFunction {
  Outlined outlined;
  size_t number;                                               // in the module
  std::vector<std::pair<ir::ValueId, std::vector<int>>> sent;  // results that other stages need, and which
  std::map<int, Spots> spots;                                  // by device
};

// The parts of a stage whose sums exist on a device, before each task of a list.
class Begun {
 public:
  explicit Begun(const StageOutliner& outliner) : outliner_(outliner) {}
  StageFunctionKey before(const schedule::PlacedTask& task);

 private:
  const StageOutliner& outliner_;
  std::map<std::pair<int, int>, std::vector<bool>> begun_;
};

class StageFunctions {
 public:
  StageFunctions(const ir::Function& function, StageOutliner& outliner) : function_(function), outliner_(outliner) {}

  // Outlines what the tasks call, behind the functions that `module` has.
  void outline(const std::vector<schedule::PlacedTask>& tasks, ir::Module& module);

  bool is_empty(const schedule::PlacedTask& task) const { return outliner_.is_empty(task.task.phase, task.stage); }
  StageFunction& at(const StageFunctionKey& key) { return functions_.at(key); }
  // Of those for a task any: what they send is the same.
  const StageFunction& any(const schedule::PlacedTask& task) const {
    return functions_.lower_bound({task.task.phase, task.stage, {}})->second;
  }

  // The stage where a value is made, or a parameter first read; kNowhere: by no function.
  static constexpr int kNowhere = -1;
  int home(ir::ValueId id) const;
  // The stages whose functions need a value.
  const std::set<int>& readers(ir::ValueId id) const;

 private:
  void find_readers();

  const ir::Function& function_;
  StageOutliner& outliner_;
  std::map<StageFunctionKey, StageFunction> functions_;
  std::map<ir::ValueId, int> home_;
  std::map<ir::ValueId, std::set<int>> readers_;
};

}  // namespace foreflow::transform
