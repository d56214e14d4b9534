// The table of the functions of all pipeline stages, and of the values that one stage needs from another.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "foreflow/schedule/plan.h"
#include "transform/pipeline/program/alike_functions.h"
#include "transform/pipeline/program/placed_values.h"
#include "transform/pipeline/program/stage_outliner.h"

namespace foreflow::transform {

// Identifies a function: tasks of the same phase and stage need different functions if different sums exist when they
// run.
using StageFunctionKey = std::tuple<schedule::Phase, int, std::vector<bool>>;  // phase, stage, begun parts

// The copies of a function's parameters, sums and results on a device.
struct Spots {
  std::vector<PlacedValues::Spot> parameters, sums, results;
};

struct StageFunction {
  Outlined outlined;
  size_t number;                                               // in the module
  std::vector<std::pair<ir::ValueId, std::vector<int>>> sent;  // results that other stages need, and those stages
  std::map<int, Spots> spots;                                  // by device
};

// Tells, for one task after another, which sums of its stage exist already on its device.
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

  // Appends the functions that the tasks call to `module`. Above 0, `stages` is the number of all stages, and
  // their passes say at which ends they are (ir/pipeline_ends.h). With `alike`, functions that it finds equal are one.
  void outline(const std::vector<schedule::PlacedTask>& tasks, ir::Module& module, int stages, AlikeFunctions* alike);

  bool is_empty(const schedule::PlacedTask& task) const { return outliner_.is_empty(task.task.phase, task.stage); }
  StageFunction& at(const StageFunctionKey& key) { return functions_.at(key); }
  // Any of the functions for the task's phase and stage: they all send the same values.
  const StageFunction& any(const schedule::PlacedTask& task) const {
    return functions_.lower_bound({task.task.phase, task.stage, {}})->second;
  }

  // The stage that computes a value, or the first one that reads a parameter; kNowhere if no function does.
  static constexpr int kNowhere = -1;
  int home(ir::ValueId id) const;
  // The stages whose functions have the value as a parameter.
  const std::set<int>& readers(ir::ValueId id) const;

 private:
  void mark_ends(schedule::Phase phase, int stage, int stages, ir::Function& function);
  void find_readers();

  const ir::Function& function_;
  StageOutliner& outliner_;
  std::map<StageFunctionKey, StageFunction> functions_;
  std::map<std::pair<ir::AttributesRef, int>, ir::AttributesRef> marked_;  // with the number of ends
  std::map<ir::ValueId, int> home_;
  std::map<ir::ValueId, std::set<int>> readers_;
};

}  // namespace foreflow::transform
